# What tests adds to the build.
