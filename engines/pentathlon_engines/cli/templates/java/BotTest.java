import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

/** Tests of the bot: javac -Xprefer:source BotTest.java && java -ea BotTest. */
final class BotTest {
    static void testEachRequestHasOneAnswer() throws IOException {
        String requests = String.join("\n",
            "{\"type\":\"hello\",\"protocol\":1,\"dice\":\"0123456789abcdef\",\"seat\":1,\"seats\":2,\"new\":{\"deep\":[{}]}}",
            "{\"type\":\"act\",\"legal\":[\"caf\\u00e9 \\ud83d\\ude00\"],\"observation\":{\"board\":[[1,null]]}}",
            "{\"type\":\"news\",\"legal\":7}",
            "{\"type\":\"end\",\"ranks\":[0,1],\"reason\":\"line\"}");
        var out = new ByteArrayOutputStream();

        new Bot().play(new BufferedReader(new StringReader(requests)), new PrintStream(out, false, StandardCharsets.UTF_8));

        List<String> answers = out.toString(StandardCharsets.UTF_8).lines().toList();
        assert answers.equals(List.of("{\"type\":\"ready\"}", "{\"action\":\"caf\u00e9 \ud83d\ude00\"}")) : answers;
    }

    static void testValuesOfEveryKindAreRead() {
        Map<String, Object> line = Json.parse(
            " {\"n\" : -2.5e1,\"yes\":true,\"no\":null,\"list\":[ \"x\" ,{}],\"t\\u0065xt\":\"\\\"\\\\\\/\\n\"} ");

        assert line.get("n").equals(-25.0) && line.get("yes").equals(true);
        assert line.containsKey("no") && line.get("no") == null;
        assert line.get("list").equals(List.of("x", Map.of()));
        assert line.get("text").equals("\"\\/\n");
    }

    static void testTextsAreWrittenSoThatTheyReadTheSame() {
        String text = "\"\\\n\u0001\u00e9\ud83d\ude00";

        assert Json.parseValue(Json.quoted(text)).equals(text);
    }

    static void testWhatIsNotJsonIsRefused() {
        for (String line : List.of("", "{", "[1,]", "{\"a\"}", "\"\\x\"", "\"\\u12", "nul", "1 2", "--1")) {
            boolean refused = false;
            try {
                Json.parseValue(line);
            } catch (IllegalArgumentException error) {
                refused = true;
            }
            assert refused : line;
        }
    }

    static void testOneOfTheLegalActionsIsChosen() {
        Bot bot = new Bot();
        bot.act = Map.of("legal", List.of("add dog b2", "pass"));
        int passes = 0;

        for (int i = 0; i < 100; i++) if (bot.choose().equals("pass")) passes++;

        assert passes > 20 && passes < 80 : passes;
    }

    public static void main(String[] arguments) throws IOException {
        testEachRequestHasOneAnswer();
        testValuesOfEveryKindAreRead();
        testTextsAreWrittenSoThatTheyReadTheSame();
        testWhatIsNotJsonIsRefused();
        testOneOfTheLegalActionsIsChosen();
        System.out.println("ok");
    }
}
