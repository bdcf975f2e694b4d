/* Brings a database to this program's schema, one migration a transaction.
   A database of another program, one made by a newer Crivo, and one whose migrations were other
   than ours is refused untouched. */
#ifndef CRV_DB_MIGRATE_H
#define CRV_DB_MIGRATE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum { CRV_APPLICATION_ID = 1129469489 }; /* "CRV1" */

struct crv_migration {
  int version; /* 1.. without gaps */
  const char *name;
  const char *sql;
  const char *stamp; /* sets user_version */
};
/* Generated from migrations/NNNN_name.sql. */
extern const struct crv_migration crv_migrations[];
extern const size_t crv_migration_count;

/* Applies what is missing of list. False: CONFLICT (refused; detail says why), or what an SQLite
   error gives, *ret_rc then being its result code; the database is as the last whole migration
   left it. */
bool crv_migrate(sqlite3 *h, const struct crv_migration *list, size_t n, int64_t now_ms,
                 int *ret_rc, struct crv_err *err);

#endif
