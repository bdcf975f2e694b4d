# What core/sheet adds to the build.
