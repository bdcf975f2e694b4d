/* Opening a connection: flags, limits and pragmas, each set and read back.
   Must not know: the schema, statements, threads. */
#ifndef CRV_DB_CONN_H
#define CRV_DB_CONN_H

#include "db/stmt.h"

/* Opens path for the one writer, or read-only. No mutex: one user at a time. False with INTERNAL or
   what crv_db_fail gives; *ret_rc is then SQLite's result code (SQLITE_ERROR: a setting did not
   take). The caller closes db in any case. */
bool crv_conn_open(struct crv_db *db, const char *path, bool writer, int *ret_rc,
                   struct crv_err *err);
/* Lets SQLite look at its tables' sizes, within a bound; failures do not matter. */
void crv_conn_optimize(struct crv_db *db);

#endif
