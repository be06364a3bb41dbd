/* Reads JSON where it stands: a value is a place in a line, and nothing is copied. */

#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

/* The first character of a value; NULL stands for a value that is not there. */
typedef const char *Json;

/* The value of a field of an object. */
Json json_field(Json object, const char *name);

/* The first item of a list, and the item after another one. */
Json json_first(Json list);
Json json_next(Json item);

/* The number, or `otherwise` if the value is none. */
double json_number(Json value, double otherwise);

/* Whether the value is this text. */
bool json_is(Json value, const char *text);

/* Write a text as UTF-8 with a 0 at its end, cut to `size` bytes; return its whole length. */
size_t json_text(Json value, char *buffer, size_t size);

/* How many characters the value has in its line: print it again with "%.*s". */
int json_length(Json value);

#endif
