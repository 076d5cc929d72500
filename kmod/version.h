/* SPDX-License-Identifier: GPL-2.0 */
/* The one place that says which version this is. */
#ifndef _RADSTEER_VERSION_H
#define _RADSTEER_VERSION_H

#define RADSTEER_VERSION "0.1.0"

#endif /* _RADSTEER_VERSION_H */
