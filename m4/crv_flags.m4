# CRV_TRY_CFLAGS(VARIABLE, FLAGS): appends to VARIABLE each flag that the C compiler takes.
# -Werror makes a compiler refuse what it would otherwise only complain about.
AC_DEFUN([CRV_TRY_CFLAGS], [
for crv_flag in $2; do
  AC_MSG_CHECKING([whether $CC takes $crv_flag])
  crv_saved=$CFLAGS
  CFLAGS="$CFLAGS -Werror $crv_flag"
  AC_COMPILE_IFELSE([AC_LANG_PROGRAM([], [])], [crv_takes=yes], [crv_takes=no])
  CFLAGS=$crv_saved
  AC_MSG_RESULT([$crv_takes])
  AS_IF([test "x$crv_takes" = xyes], [$1="$$1 $crv_flag"])
done
])

# CRV_TRY_LDFLAGS(VARIABLE, FLAGS): the same for the linker.
AC_DEFUN([CRV_TRY_LDFLAGS], [
for crv_flag in $2; do
  AC_MSG_CHECKING([whether the linker takes $crv_flag])
  crv_saved=$LDFLAGS
  LDFLAGS="$LDFLAGS $crv_flag"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])], [crv_takes=yes], [crv_takes=no])
  LDFLAGS=$crv_saved
  AC_MSG_RESULT([$crv_takes])
  AS_IF([test "x$crv_takes" = xyes], [$1="$$1 $crv_flag"])
done
])
