import Foundation

/// The first screen of a report: a chart for each ``Headline``, and the engines that suit a program's needs.
struct Overview {
    /// A chart, and the name of its row.
    struct Column {
        var headline: Headline
        var workload: String
        var chart: BarChart
    }

    /// The measured columns, in the order of ``Headline``.
    let columns: [Column]
    /// The engines in the order in which they were measured.
    let engines: [String]
    /// The number of objects in the stores.
    let size: Int
    /// The charts of the row about many savers, starting with the fewest savers.
    let savers: [BarChart]
    private let facts: [EngineFacts]

    /// Creates the first screen. Returns `nil` if none of its rows was measured.
    init?(_ report: Report) {
        let size = report.mainSize
        let rows = report.rows.filter { $0.size == size }
        let headlines = rows.filter { $0.headline != nil }
        guard !headlines.isEmpty else { return nil }
        self.size = size
        engines = headlines.map(\.engine).uniqued
        let facts = report.engines ?? []
        let holders = facts.filter { !$0.isDurable || $0.rewritesWholeFile }
        columns = Headline.allCases.compactMap { headline in
            let rows = headlines.filter { $0.headline == headline }
            let quantity: BarChart.Quantity = headline == .memory ? .memory : .processorTime
            guard let row = rows.first, var chart = BarChart(rows, quantity) else { return nil }
            chart.title = headline.title
            chart.method = headline.method
            // What an engine without files saves or holds is no measure for the others.
            let durable = facts.filter(\.isDurable)
            chart.comparable = Set(durable.map(\.engine))
            if headline == .memory {
                chart.comparable = Set(durable.filter { !$0.rewritesWholeFile }.map(\.engine))
                let names = holders.map(\.engine).joined(separator: ", ")
                if !names.isEmpty { chart.method += "; \(names) also hold all rows" }
                chart.unit = ""
            }
            return Column(headline: headline, workload: row.workload, chart: chart)
        }
        savers = rows.charts(of: "savers", .wallTime)
        self.facts = facts
    }

    /// The marks of all charts, the first of each name.
    var marks: [BarChart.Mark] {
        columns.flatMap(\.chart.bars).flatMap(\.marks).reduce(into: []) { marks, mark in
            if !marks.contains(where: { $0.name == mark.name }) { marks.append(mark) }
        }
    }

    /// The engines that suit a program, starting with the fastest.
    struct Choice {
        /// What the program does or needs, after “A program that …”.
        var need: String
        /// Which engines come into question, and the charts that decide.
        var basis: String
        /// The engines, each with its time as a multiple of the first engine's. The multiple is `nil` if
        /// nothing was measured that matters here.
        var engines: [(name: String, multiple: Double?)]
    }

    /// The engines for each need. A need is left out if no engine meets it, or if the charts that decide were
    /// not measured. Empty if only one engine was measured.
    var choices: [Choice] {
        guard engines.count > 1 else { return [] }
        let reads: [Headline] = [.fetch, .fault, .toOne, .relationship]
        return [
            choice("mostly reads", "mean of the four reads, with files", reads) {
                $0.isDurable
            },
            choice("saves after each edit", "saving one object", [.save]) { $0.isDurable },
            choice("saves many objects at once", "saving many objects", [.saveMany]) {
                $0.isDurable
            },
            choice(
                "has many writers at a time",
                "64 tasks that save, elapsed time; also several processes",
                savers.suffix(1)
            ) { $0.isDurable && $0.isShared },
            choice(
                "has more data than memory", "the same; the others hold all rows in memory", reads
            ) { $0.isDurable && !$0.rewritesWholeFile },
            choice(
                "needs a file to read and diff", "files that are text", [.save]
            ) { $0.isText },
            choice("keeps nothing: a cache, tests", "engines without files", reads) {
                !$0.isDurable
            },
        ].filter { !$0.engines.isEmpty }
    }

    private func choice(
        _ need: String, _ basis: String, _ headlines: [Headline],
        _ isSuitable: (EngineFacts) -> Bool
    ) -> Choice {
        let measured = columns.filter { headlines.contains($0.headline) }.map(\.chart)
        let charts = measured.count == headlines.count ? measured : []
        return choice(need, basis, charts, isSuitable)
    }

    /// Returns the suitable engines in the order of their times. If several charts matter, an engine's time
    /// is the geometric mean of its bars.
    private func choice(
        _ need: String, _ basis: String, _ charts: [BarChart],
        _ isSuitable: (EngineFacts) -> Bool
    ) -> Choice {
        let suitable = facts.filter(isSuitable).map(\.engine).filter(engines.contains)
        guard suitable.count == 1 || !charts.isEmpty else {
            return Choice(need: need, basis: basis, engines: [])
        }
        let times = suitable.map { engine in
            let values = charts.compactMap { chart in
                chart.bars.first { $0.engine == engine }?.value
            }
            return (name: engine, time: values.count == charts.count ? values.geometricMean : nil)
        }
        let sorted = times.sorted { ($0.time ?? .infinity) < ($1.time ?? .infinity) }
        let least = sorted.first?.time
        return Choice(
            need: need, basis: basis,
            engines: sorted.map { engine in
                (engine.name, least.flatMap { least in engine.time.map { $0 / least } })
            })
    }
}

extension Array where Element == Double {
    /// The geometric mean, or `nil` if there are no values.
    fileprivate var geometricMean: Double? {
        isEmpty
            ? nil
            : exp(map { log(Swift.max($0, .leastNonzeroMagnitude)) }.reduce(0, +) / Double(count))
    }
}

extension Array where Element == RowResult {
    /// Returns a chart for each of Cairn's contenders in a row. Empty if the row was not measured.
    func charts(of workload: String, _ quantity: BarChart.Quantity) -> [BarChart] {
        let rows = filter { $0.workload == workload }
        let names = rows.flatMap(\.contenders).filter { $0.role == .ours }.map(\.name).uniqued
        return names.compactMap { name in
            var chart = BarChart(rows, quantity, contender: name)
            chart?.title = name.withoutCairn.capitalizedFirst
            chart?.method = ""
            return chart
        }
    }
}

extension String {
    /// A contender's name without “Cairn, ” at its beginning.
    var withoutCairn: String { hasPrefix("Cairn, ") ? String(dropFirst(7)) : self }
}
