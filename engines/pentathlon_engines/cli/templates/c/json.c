#include "json.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_space(const char *at) {
    while (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n') at++;
    return at;
}

static const char *skip_text(const char *at) {
    at++;
    while (*at && *at != '"') at += at[0] == '\\' && at[1] ? 2 : 1;
    return *at ? at + 1 : at;
}

static const char *skip_value(const char *at) {
    int depth = 0;
    do {
        if (*at == '"') {
            at = skip_text(at);
        } else if (*at == '{' || *at == '[') {
            depth++, at++;
        } else if (*at == '}' || *at == ']') {
            depth--, at++;
        } else if (depth > 0) {
            at++;
        } else {
            at += strcspn(at, ",]} \t\r\n");
        }
    } while (depth > 0 && *at);
    return at;
}

static unsigned hexadecimal(const char *at) {
    char digits[5] = {0};
    strncpy(digits, at, 4);
    return (unsigned)strtoul(digits, NULL, 16);
}

/* Read one escape, such as \n or \u00e9, as a code point; return the place behind it. */
static const char *read_escape(const char *at, unsigned *code) {
    static const char names[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    const char *name = strchr(names, at[1]);
    if (!at[1]) {
        *code = 0xFFFD;
        return at + 1;
    }
    if (at[1] != 'u') {
        *code = (unsigned char)(name ? meanings[name - names] : at[1]);
        return at + 2;
    }
    if (memchr(at, 0, 6)) {
        *code = 0xFFFD;
        return at + strlen(at);
    }
    *code = hexadecimal(at + 2);
    at += 6;
    if (*code < 0xD800 || *code > 0xDFFF) return at;
    /* Beyond \uffff a character is a pair of escapes; one half alone is none. */
    unsigned low = at[0] == '\\' && at[1] == 'u' ? hexadecimal(at + 2) : 0;
    if (*code > 0xDBFF || low < 0xDC00 || low > 0xDFFF) {
        *code = 0xFFFD;
        return at;
    }
    *code = 0x10000 + ((*code - 0xD800) << 10) + (low - 0xDC00);
    return at + 6;
}

static int write_utf8(unsigned code, char bytes[4]) {
    if (code < 0x80) {
        bytes[0] = (char)code;
        return 1;
    }
    int count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (int i = count - 1; i > 0; i--, code >>= 6) bytes[i] = (char)(0x80 | (code & 0x3F));
    bytes[0] = (char)((0xF00 >> count & 0xF0) | code);
    return count;
}

/* Read the next character of a text as UTF-8; return the place behind it, NULL at the end. */
static const char *read_character(const char *at, char bytes[4], int *count) {
    if (!*at || *at == '"') return NULL;
    if (*at != '\\') {
        bytes[0] = *at;
        *count = 1;
        return at + 1;
    }
    unsigned code;
    at = read_escape(at, &code);
    *count = write_utf8(code, bytes);
    return at;
}

Json json_first(Json list) {
    if (!list) return NULL;
    list = skip_space(list);
    if (*list != '[' && *list != '{') return NULL;
    const char *item = skip_space(list + 1);
    return *item && *item != ']' && *item != '}' ? item : NULL;
}

Json json_next(Json item) {
    const char *at = skip_space(skip_value(skip_space(item)));
    return *at == ',' ? skip_space(at + 1) : NULL;
}

Json json_field(Json object, const char *name) {
    for (Json key = json_first(object); key && *key == '"';) {
        const char *value = skip_space(skip_text(key));
        if (*value != ':') return NULL;
        value = skip_space(value + 1);
        if (json_is(key, name)) return value;
        key = json_next(value);
    }
    return NULL;
}

double json_number(Json value, double otherwise) {
    if (!value) return otherwise;
    char *end;
    double number = strtod(value, &end);
    return end == value ? otherwise : number;
}

bool json_is(Json value, const char *text) {
    if (!value || *value != '"') return false;
    char bytes[4];
    int count;
    for (const char *at = value + 1; (at = read_character(at, bytes, &count)); text += count) {
        if (!bytes[0] || strncmp(text, bytes, (size_t)count)) return false;
    }
    return !*text;
}

size_t json_text(Json value, char *buffer, size_t size) {
    size_t length = 0;
    char bytes[4];
    int count;
    if (size) buffer[0] = 0;
    if (!value || *value != '"') return 0;
    for (const char *at = value + 1; (at = read_character(at, bytes, &count)); length += count) {
        if (length + (size_t)count >= size) continue;
        memcpy(buffer + length, bytes, (size_t)count);
        buffer[length + (size_t)count] = 0;
    }
    return length;
}

int json_length(Json value) {
    return value ? (int)(skip_value(value) - value) : 0;
}
