//! A small JSON reader for the lines of the bot protocol.

/// One value. What is not there reads as `Null`.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    /// The fields in their order.
    Object(Vec<(String, Json)>),
}

/// A line that is not JSON.
#[derive(Debug, PartialEq)]
pub struct NotJson;

impl Json {
    pub fn parse(line: &str) -> Result<Json, NotJson> {
        let mut reader = Reader { rest: line };
        let value = reader.read()?;
        match reader.next() {
            None => Ok(value),
            Some(_) => Err(NotJson),
        }
    }

    /// The value of a field of an object.
    pub fn get(&self, name: &str) -> &Json {
        match self {
            Json::Object(fields) => fields
                .iter()
                .find(|(key, _)| key == name)
                .map_or(&Json::Null, |(_, value)| value),
            _ => &Json::Null,
        }
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Json] {
        match self {
            Json::List(items) => items,
            _ => &[],
        }
    }

    /// The text; empty for anything else.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }

    /// The number; 0 for anything else.
    pub fn number(&self) -> f64 {
        match self {
            Json::Number(number) => *number,
            _ => 0.0,
        }
    }
}

/// Return a text as JSON, with its quotation marks.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn read(&mut self) -> Result<Json, NotJson> {
        match self.next().ok_or(NotJson)? {
            b'{' => {
                let mut fields = Vec::new();
                self.read_items('}', |reader| {
                    let name = reader.read_text()?;
                    reader.take(':')?;
                    fields.push((name, reader.read()?));
                    Ok(())
                })?;
                Ok(Json::Object(fields))
            }
            b'[' => {
                let mut items = Vec::new();
                self.read_items(']', |reader| {
                    items.push(reader.read()?);
                    Ok(())
                })?;
                Ok(Json::List(items))
            }
            b'"' => Ok(Json::Text(self.read_text()?)),
            b't' => self.read_word("true", Json::Bool(true)),
            b'f' => self.read_word("false", Json::Bool(false)),
            b'n' => self.read_word("null", Json::Null),
            _ => self.read_number(),
        }
    }

    /// The next byte that is no space.
    fn next(&mut self) -> Option<u8> {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\r', '\n']);
        self.rest.bytes().next()
    }

    fn take(&mut self, wanted: char) -> Result<(), NotJson> {
        self.next();
        self.rest = self.rest.strip_prefix(wanted).ok_or(NotJson)?;
        Ok(())
    }

    fn cut(&mut self, length: usize) -> &'a str {
        let (part, rest) = self.rest.split_at(length);
        self.rest = rest;
        part
    }

    fn read_items(
        &mut self,
        end: char,
        mut read_one: impl FnMut(&mut Self) -> Result<(), NotJson>,
    ) -> Result<(), NotJson> {
        self.cut(1);
        if self.next() != Some(end as u8) {
            read_one(self)?;
            while self.next() == Some(b',') {
                self.cut(1);
                read_one(self)?;
            }
        }
        self.take(end)
    }

    fn read_word(&mut self, word: &str, value: Json) -> Result<Json, NotJson> {
        self.rest = self.rest.strip_prefix(word).ok_or(NotJson)?;
        Ok(value)
    }

    fn read_number(&mut self) -> Result<Json, NotJson> {
        let is_part = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
        let length = self.rest.find(|c| !is_part(c)).unwrap_or(self.rest.len());
        self.cut(length).parse().map(Json::Number).map_err(|_| NotJson)
    }

    fn read_text(&mut self) -> Result<String, NotJson> {
        let mut text = String::new();
        self.take('"')?;
        loop {
            let plain = self.rest.find(['"', '\\']).ok_or(NotJson)?;
            text.push_str(self.cut(plain));
            if self.cut(1) == "\"" {
                return Ok(text);
            }
            text.push(self.read_escape()?);
        }
    }

    fn read_escape(&mut self) -> Result<char, NotJson> {
        let name = self.rest.chars().next().ok_or(NotJson)?;
        self.cut(name.len_utf8());
        match name {
            '"' | '\\' | '/' => Ok(name),
            'b' => Ok('\u{8}'),
            'f' => Ok('\u{c}'),
            'n' => Ok('\n'),
            'r' => Ok('\r'),
            't' => Ok('\t'),
            'u' => self.read_code_point(),
            _ => Err(NotJson),
        }
    }

    /// Beyond \uffff a character is a pair of escapes; one half alone is none.
    fn read_code_point(&mut self) -> Result<char, NotJson> {
        let high = self.read_hexadecimal()?;
        if (0xD800..0xDC00).contains(&high) && self.rest.starts_with("\\u") {
            let before = self.rest;
            self.cut(2);
            let low = self.read_hexadecimal()?;
            if (0xDC00..0xE000).contains(&low) {
                let code = 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                return char::from_u32(code).ok_or(NotJson);
            }
            self.rest = before;
        }
        Ok(char::from_u32(high).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn read_hexadecimal(&mut self) -> Result<u32, NotJson> {
        let digits = self.rest.get(..4).ok_or(NotJson)?;
        if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return Err(NotJson);
        }
        self.cut(4);
        u32::from_str_radix(digits, 16).map_err(|_| NotJson)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_whatever_stands_between() {
        let line = r#" {"new":[{"a":"}]"},null],"n" : -2.5e1,"yes":true,"list":[ "x" ,"y"],"none":[]} "#;
        let line = Json::parse(line).unwrap();

        assert_eq!(line.get("n").number(), -25.0);
        assert_eq!(line.get("yes"), &Json::Bool(true));
        assert_eq!(line.get("list").items()[1].text(), "y");
        assert_eq!(line.get("none"), &Json::List(vec![]));
        assert_eq!(line.get("absent").get("nor this"), &Json::Null);
    }

    #[test]
    fn texts_are_decoded() {
        let line = Json::parse(r#"{"t\u0065xt":"\"\\\/\n\u00e9\u20ac\ud83d\ude00\ud83d!"}"#);

        assert_eq!(line.unwrap().get("text").text(), "\"\\/\n\u{e9}\u{20ac}\u{1F600}\u{FFFD}!");
    }

    #[test]
    fn texts_are_written_so_that_they_read_the_same() {
        let text = "\"\\\n\u{1}\u{e9}\u{1F600}";

        assert_eq!(Json::parse(&quoted(text)).unwrap().text(), text);
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for line in ["", "{", "[1,]", r#"{"a"}"#, r#""\x""#, r#""\u12"#, "nul", "1 2", "--1"] {
            assert_eq!(Json::parse(line), Err(NotJson), "{line}");
        }
    }
}
