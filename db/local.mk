# What db adds to the build.
