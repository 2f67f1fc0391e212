import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import org.codelibs.opensearch.runner.OpenSearchRunner;
import org.opensearch.common.settings.Settings;

/**
 * Nodes of a cluster of OpenSearch in one process, on this machine only:
 *
 * <pre>OpenSearch.java [--temporary] PORT DIRECTORY CLUSTER [OWN]</pre>
 *
 * CLUSTER are the addresses of all nodes, separated by commas, and OWN those of them that this
 * process is; without it, all. A node answers HTTP at PORT of its address. Nodes speak to each
 * other at the same PORT of another address, 127.0.1.2 where HTTP is at 127.0.0.2: so no second
 * port has to be found that is free.
 *
 * <p>With --temporary everything ends when standard input does, that is when whoever holds its
 * other end is gone for whatever reason, and DIRECTORY is removed.
 */
public final class OpenSearch {
    /** What a server for searches over HTTP needs; the others would only start later. */
    private static final String[] MODULES = {
        "org.opensearch.analysis.common.CommonAnalysisPlugin",
        "org.opensearch.index.mapper.MapperExtrasPlugin",
        "org.opensearch.index.reindex.ReindexPlugin",
        "org.opensearch.transport.Netty4Plugin",
    };
    /** Five minutes are enough for any machine; whoever waits has a limit of its own. */
    private static final String UP_WITHIN = "300s";

    private final boolean temporary;
    private final String port;
    private final Path directory;
    private final List<String> cluster;
    private final List<String> own;
    private final OpenSearchRunner runner = new OpenSearchRunner();
    private boolean ended;

    public static void main(String[] words) throws Exception {
        List<String> arguments = List.of(words);
        boolean temporary = arguments.contains("--temporary");
        arguments = arguments.stream().filter(word -> !word.equals("--temporary")).toList();
        if (arguments.size() < 3 || arguments.size() > 4) {
            System.err.println("usage: opensearch.sh [--temporary] PORT DIRECTORY CLUSTER [OWN]");
            System.exit(2);
        }
        OpenSearch nodes = new OpenSearch(temporary, arguments);
        Runtime.getRuntime().addShutdownHook(new Thread(nodes::end));
        if (temporary) {
            Thread watch = new Thread(OpenSearch::exitWithInput);
            watch.setDaemon(true);
            watch.start();
        }
        try {
            nodes.start();
            System.out.println("ready: " + nodes.state());
        } catch (Exception error) {
            Throwable cause = error;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            System.err.println("OpenSearch does not start: " + cause.getMessage());
            System.exit(1);
        }
        Thread.currentThread().join();
    }

    private OpenSearch(boolean temporary, List<String> arguments) {
        this.temporary = temporary;
        this.port = arguments.get(0);
        this.directory = Path.of(arguments.get(1)).toAbsolutePath();
        this.cluster = List.of(arguments.get(2).split(","));
        this.own = arguments.size() > 3 ? List.of(arguments.get(3).split(",")) : cluster;
    }

    private void start() {
        // Left alone, the runner takes no port above 9299.
        runner.setMaxHttpPort(-1);
        runner.onBuild((number, settings) -> configure(own.get(number - 1), settings));
        runner.build(OpenSearchRunner.newConfigs()
                .basePath(directory.toString())
                .clusterName("tenbin-" + port)
                .numOfNode(own.size())
                .moduleTypes(String.join(",", MODULES))
                .useLogger()
                // Its logger takes standard output away. What is worth a word then is printed there.
                .disableESLogger());
    }

    private void configure(String address, Settings.Builder settings) {
        settings.put("node.name", address)
                .put("http.host", address)
                .put("http.port", port)
                .put("transport.host", behind(address))
                .put("transport.port", port)
                // A node must not wait for the others: they may start after it.
                .put("discovery.initial_state_timeout", "0s")
                // Disks of test machines are often fuller than OpenSearch thinks right.
                .put("cluster.routing.allocation.disk.threshold_enabled", false)
                // Only what the plan asks for is to be measured.
                .put("action.auto_create_index", false)
                .put("cluster.max_shards_per_node", 1000);
        if (cluster.size() == 1) {
            settings.put("discovery.type", "single-node");
        } else {
            settings.putList("discovery.seed_hosts",
                    cluster.stream().map(node -> behind(node) + ":" + port).toList());
            settings.putList("cluster.initial_cluster_manager_nodes", cluster);
        }
    }

    /** 127.0.0.2 becomes 127.0.1.2. */
    private static String behind(String address) {
        String[] numbers = address.split("\\.");
        numbers[2] = String.valueOf(Integer.parseInt(numbers[2]) + 1);
        return String.join(".", numbers);
    }

    /** When all nodes have found each other. */
    private String state() {
        var health = runner.client().admin().cluster().prepareHealth()
                .setWaitForNodes(String.valueOf(cluster.size()))
                .setWaitForYellowStatus()
                .setTimeout(UP_WITHIN)
                .setClusterManagerNodeTimeout(UP_WITHIN)
                .get();
        if (health.isTimedOut()) {
            throw new IllegalStateException("only " + health.getNumberOfNodes() + " of "
                    + cluster.size() + " nodes found each other within " + UP_WITHIN);
        }
        return health.getNumberOfNodes() + " nodes, "
                + health.getStatus().name().toLowerCase(Locale.ROOT);
    }

    private static void exitWithInput() {
        try {
            while (System.in.read() >= 0) { }
        } catch (IOException gone) {
            // As good as the end.
        }
        System.exit(0);
    }

    private synchronized void end() {
        if (ended) {
            return;
        }
        ended = true;
        try {
            runner.close();
        } catch (Exception error) {
            System.err.println("OpenSearch does not end well: " + error);
        }
        if (temporary) {
            remove();
        }
    }

    private void remove() {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException error) {
            System.err.println("cannot remove " + directory + ": " + error);
        }
    }
}
