# What core/memory adds to the build.
