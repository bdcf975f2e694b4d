# What core/catalogue adds to the build.
