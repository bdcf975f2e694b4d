# What core/evidence adds to the build.
