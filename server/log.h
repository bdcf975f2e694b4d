/* One JSON line an event on a file descriptor; each line is one write. Safe from any thread. */
#ifndef CRV_SERVER_LOG_H
#define CRV_SERVER_LOG_H

void crv_log_open(int fd);
/* level: "info", "warn", "error". Pairs of key, text value, ended by NULL. */
void crv_log(const char *level, const char *event, ...) __attribute__((sentinel));

#endif
