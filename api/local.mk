# What api adds to the build.
