import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A small JSON reader for the lines of the bot protocol.
 *
 * <p>Values are Map, List, String, Double, Boolean and null.
 */
final class Json {
    private final String line;
    private int at = 0;

    private Json(String line) {
        this.line = line;
    }

    /** Read the object of a line. */
    @SuppressWarnings("unchecked")
    static Map<String, Object> parse(String line) {
        Object value = parseValue(line);
        if (value instanceof Map) return (Map<String, Object>) value;
        throw new IllegalArgumentException("this line is no JSON object");
    }

    /** Read a value of any kind. */
    static Object parseValue(String line) {
        Json reader = new Json(line);
        Object value = reader.read();
        if (reader.next() != 0) throw reader.failure();
        return value;
    }

    /** Return a text as JSON, with its quotation marks. */
    static String quoted(String text) {
        StringBuilder out = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ') {
                out.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 15, 16));
            } else {
                out.append(c);
            }
        }
        return out.append('"').toString();
    }

    private Object read() {
        switch (next()) {
            case '{':
                return readObject();
            case '[':
                return readList();
            case '"':
                return readText();
            case 't':
                return readWord("true", true);
            case 'f':
                return readWord("false", false);
            case 'n':
                return readWord("null", null);
            default:
                return readNumber();
        }
    }

    private Map<String, Object> readObject() {
        Map<String, Object> fields = new HashMap<>();
        at++;
        if (next() != '}') {
            do {
                if (next() != '"') throw failure();
                String name = readText();
                take(':');
                fields.put(name, read());
            } while (hasMore());
        }
        take('}');
        return fields;
    }

    private List<Object> readList() {
        List<Object> items = new ArrayList<>();
        at++;
        if (next() != ']') {
            do items.add(read());
            while (hasMore());
        }
        take(']');
        return items;
    }

    /** Return the next character that is no space, 0 at the end. */
    private char next() {
        while (at < line.length() && " \t\r\n".indexOf(line.charAt(at)) >= 0) at++;
        return at < line.length() ? line.charAt(at) : 0;
    }

    private void take(char wanted) {
        if (next() != wanted) throw failure();
        at++;
    }

    private boolean hasMore() {
        if (next() != ',') return false;
        at++;
        return true;
    }

    private Object readWord(String word, Object value) {
        if (!line.startsWith(word, at)) throw failure();
        at += word.length();
        return value;
    }

    private Double readNumber() {
        int start = at;
        while (at < line.length() && "+-.0123456789eE".indexOf(line.charAt(at)) >= 0) at++;
        return Double.valueOf(line.substring(start, at));
    }

    private String readText() {
        StringBuilder text = new StringBuilder();
        for (at++; at < line.length(); at++) {
            char c = line.charAt(at);
            if (c == '"') {
                at++;
                return text.toString();
            }
            text.append(c == '\\' ? readEscape() : c);
        }
        throw failure();
    }

    /** Read an escape up to its last character. A character beyond FFFF is a pair of them. */
    private char readEscape() {
        if (++at >= line.length()) throw failure();
        char name = line.charAt(at);
        if (name == 'u') {
            if (at + 4 >= line.length()) throw failure();
            at += 4;
            return (char) Integer.parseInt(line, at - 3, at + 1, 16);
        }
        int found = "bfnrt\"\\/".indexOf(name);
        if (found < 0) throw failure();
        return "\b\f\n\r\t\"\\/".charAt(found);
    }

    private IllegalArgumentException failure() {
        return new IllegalArgumentException("not JSON at character " + at);
    }
}
