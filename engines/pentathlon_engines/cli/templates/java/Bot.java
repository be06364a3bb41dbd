import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/** A bot for $title: it plays the best rated action. Change {@code rate}. */
public final class Bot {
    /** The first line, with "options" and "limits"; the fields are those of the protocol. */
    Map<String, Object> hello = Map.of();

    /** The request, with "observation" and "clock". */
    Map<String, Object> act = Map.of();

    int seat;
    int seats;
    SplittableRandom random = new SplittableRandom();

    /** Rate an action: the bot plays one of those that you rate highest. */
    double rate(String action) {
        return 0;
    }

    /** Choose one of the best rated actions at random. */
    String choose() {
        List<String> best = new ArrayList<>();
        double most = 0;
        for (Object each : (List<?>) act.get("legal")) {
            String action = (String) each;
            double rating = rate(action);
            if (best.isEmpty() || rating > most) {
                best.clear();
                most = rating;
            }
            if (rating == most) best.add(action);
        }
        return best.get(random.nextInt(best.size()));
    }

    /** Play one match: answer every request, and end with the match or the input. */
    void play(BufferedReader requests, PrintStream answers) throws IOException {
        for (String line; (line = requests.readLine()) != null; ) {
            Map<String, Object> message = Json.parse(line);
            Object type = message.get("type");
            if ("hello".equals(type)) {
                begin(message);
                answers.println("{\"type\":\"ready\"}");
            } else if ("act".equals(type)) {
                act = message;
                answers.println("{\"action\":" + Json.quoted(choose()) + "}");
            } else if ("end".equals(type)) {
                return;
            }
            answers.flush();
        }
    }

    /** Seed by the dice: no opponent knows them, and the same match draws the same numbers. */
    void begin(Map<String, Object> hello) {
        this.hello = hello;
        seat = ((Double) hello.get("seat")).intValue();
        seats = ((Double) hello.get("seats")).intValue();
        random = new SplittableRandom(Long.parseUnsignedLong((String) hello.get("dice"), 16));
        System.err.println("seat " + seat + " of " + seats);
    }

    public static void main(String[] arguments) throws IOException {
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        // Keep standard output for answers: whatever else is printed goes to the log.
        var out = new BufferedOutputStream(new FileOutputStream(FileDescriptor.out));
        System.setOut(System.err);
        var answers = new PrintStream(out, false, StandardCharsets.UTF_8);
        new Bot().play(requests, answers);
    }
}
