# What core/decide adds to the build.
