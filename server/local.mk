# What server adds to the build.
