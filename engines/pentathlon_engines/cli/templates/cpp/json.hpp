// A small JSON reader for the lines of the bot protocol.

#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// One value. What is not there reads as null: json["no such field"]["nor this"].number() is 0.
class Json {
public:
    enum class Kind { null, boolean, number, text, list, object };

    static Json parse(std::string_view line);

    Kind kind() const { return kind_; }
    bool boolean() const { return kind_ == Kind::boolean && number_ != 0; }
    double number() const { return number_; }
    const std::string& text() const { return text_; }
    // The items of a list, or the values of an object.
    const std::vector<Json>& items() const { return items_; }
    // The names of an object's fields, in the order of `items`.
    const std::vector<std::string>& names() const { return names_; }

    const Json& operator[](std::string_view name) const {
        static const Json absent;
        for (std::size_t i = 0; i < names_.size(); i++)
            if (names_[i] == name) return items_[i];
        return absent;
    }

private:
    friend class JsonReader;

    Kind kind_ = Kind::null;
    double number_ = 0;
    std::string text_;
    std::vector<Json> items_;
    std::vector<std::string> names_;
};

// Return a text as JSON, with its quotation marks.
inline std::string quoted(std::string_view text) {
    static const char digits[] = "0123456789abcdef";
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (static_cast<unsigned char>(c) < 0x20) {
            out += "\\u00";
            out += digits[c >> 4];
            out += digits[c & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

class JsonReader {
public:
    explicit JsonReader(std::string_view line) : rest_(line) {}

    Json read() {
        Json value;
        switch (next()) {
        case '{':
            value.kind_ = Json::Kind::object;
            read_items('}', [&] {
                if (next() != '"') fail();
                value.names_.push_back(read_text());
                take(':');
                value.items_.push_back(read());
            });
            break;
        case '[':
            value.kind_ = Json::Kind::list;
            read_items(']', [&] { value.items_.push_back(read()); });
            break;
        case '"':
            value.kind_ = Json::Kind::text;
            value.text_ = read_text();
            break;
        case 't':
        case 'f':
            value.kind_ = Json::Kind::boolean;
            value.number_ = rest_[0] == 't';
            take_word(value.number_ != 0 ? "true" : "false");
            break;
        case 'n':
            take_word("null");
            break;
        default:
            value.kind_ = Json::Kind::number;
            value.number_ = read_number();
        }
        return value;
    }

    void read_end() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
        if (!rest_.empty()) fail();
    }

private:
    std::string_view rest_;

    [[noreturn]] static void fail() { throw std::runtime_error("this line is not JSON"); }

    // The next character that is no space.
    char next() {
        auto space = rest_.find_first_not_of(" \t\r\n");
        if (space == std::string_view::npos) fail();
        rest_.remove_prefix(space);
        return rest_[0];
    }

    void take(char wanted) {
        if (next() != wanted) fail();
        rest_.remove_prefix(1);
    }

    void take_word(std::string_view word) {
        if (rest_.substr(0, word.size()) != word) fail();
        rest_.remove_prefix(word.size());
    }

    template <class Read>
    void read_items(char end, Read read_one) {
        rest_.remove_prefix(1);
        if (next() != end) {
            read_one();
            while (next() == ',') {
                rest_.remove_prefix(1);
                read_one();
            }
        }
        take(end);
    }

    double read_number() {
        auto length = std::min(rest_.find_first_not_of("+-.0123456789eE"), rest_.size());
        std::string digits(rest_.substr(0, length));
        char* end = nullptr;
        double number = std::strtod(digits.c_str(), &end);
        if (digits.empty() || *end) fail();
        rest_.remove_prefix(length);
        return number;
    }

    std::string read_text() {
        std::string text;
        rest_.remove_prefix(1);
        for (;;) {
            auto plain = rest_.find_first_of("\"\\");
            if (plain == std::string_view::npos) fail();
            text += rest_.substr(0, plain);
            bool is_end = rest_[plain] == '"';
            rest_.remove_prefix(plain + 1);
            if (is_end) return text;
            read_escape(text);
        }
    }

    void read_escape(std::string& text) {
        static constexpr std::string_view names = "bfnrt\"\\/", meanings = "\b\f\n\r\t\"\\/";
        if (rest_.empty()) fail();
        char name = rest_[0];
        rest_.remove_prefix(1);
        if (name == 'u') {
            append_utf8(text, read_code_point());
            return;
        }
        auto found = names.find(name);
        if (found == std::string_view::npos) fail();
        text += meanings[found];
    }

    // Beyond \uffff a character is a pair of escapes; one half alone is none.
    std::uint32_t read_code_point() {
        std::uint32_t high = read_hexadecimal();
        if (high < 0xD800 || high > 0xDFFF) return high;
        if (high > 0xDBFF || rest_.substr(0, 2) != "\\u") return 0xFFFD;
        auto before = rest_;
        rest_.remove_prefix(2);
        std::uint32_t low = read_hexadecimal();
        if (low >= 0xDC00 && low <= 0xDFFF) return 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
        rest_ = before;
        return 0xFFFD;
    }

    std::uint32_t read_hexadecimal() {
        std::string digits(rest_.substr(0, 4));
        if (digits.size() < 4 || digits.find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) fail();
        rest_.remove_prefix(4);
        return static_cast<std::uint32_t>(std::stoul(digits, nullptr, 16));
    }

    static void append_utf8(std::string& text, std::uint32_t code) {
        if (code < 0x80) {
            text += static_cast<char>(code);
            return;
        }
        int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
        text += static_cast<char>((0xF00 >> (more + 1) & 0xF0) | code >> (6 * more));
        while (more-- > 0) text += static_cast<char>(0x80 | (code >> (6 * more) & 0x3F));
    }
};

inline Json Json::parse(std::string_view line) {
    JsonReader reader(line);
    Json value = reader.read();
    reader.read_end();
    return value;
}
