import Foundation

/// The overview table of a report: a line for each engine, and a column for each ``Headline``.
struct Overview {
    /// The result of one engine in one column.
    struct Cell {
        /// The processor time of the best of Cairn's contenders divided by that of the C library, or `nil` if
        /// there is no baseline.
        var ratio: Ratio?
        /// The processor time of one operation in nanoseconds.
        var nanoseconds: Double
        /// The same ratio for the best contender of a peer, or `nil` if no peer supports the operation.
        var peer: (name: String, ratio: Ratio)?
    }

    /// A column, with the name and title of its row.
    struct Column {
        var headline: Headline
        var workload: String
        var title: String
    }

    /// The measured columns, in the order of ``Headline``.
    let columns: [Column]
    /// The engines in the order in which they were measured.
    let engines: [String]
    /// The number of objects in the stores.
    let size: Int
    /// Whether each figure is the median of several runs.
    let isRepeated: Bool
    private let cells: [String: Cell]

    /// Creates the table. Returns `nil` if none of the rows was measured.
    init?(_ report: Report) {
        size = report.mainSize
        isRepeated = (report.runs ?? 1) > 1
        let rows = report.rows.filter { [size] in $0.headline != nil && $0.size == size }
        guard !rows.isEmpty else { return nil }
        engines = rows.map(\.engine).uniqued
        columns = Headline.allCases.compactMap { headline in
            rows.first { $0.headline == headline }.map { row in
                let part = row.part.isEmpty ? "" : ": \(row.part)"
                return Column(
                    headline: headline, workload: row.workload, title: row.title + part)
            }
        }
        cells = Dictionary(
            rows.compactMap { row in
                row.headline.flatMap { headline in
                    Cell(row).map { (Self.key(row.engine, headline), $0) }
                }
            }, uniquingKeysWith: { first, _ in first })
    }

    /// Returns the cell of an engine and a column, or `nil` if it was not measured.
    func cell(_ engine: String, _ column: Column) -> Cell? {
        cells[Self.key(engine, column.headline)]
    }

    /// The names of the peers in the table, without duplicates.
    var peers: [String] {
        cells.values.compactMap { $0.peer?.name }.uniqued.sorted()
    }

    private static func key(_ engine: String, _ headline: Headline) -> String {
        "\(engine)/\(headline.rawValue)"
    }
}

extension Overview.Cell {
    /// Creates a cell. Returns `nil` if Cairn was not measured in the row.
    init?(_ row: RowResult) {
        func best(_ role: Contender.Role) -> ContenderResult? {
            row.contenders.filter { $0.role == role }
                .min { $0.cpu.median < $1.cpu.median }
        }
        guard let ours = best(.ours) else { return nil }
        (ratio, nanoseconds) = (ours.ratio, ours.cpu.median)
        guard let peer = best(.peer), let ratio = peer.ratio else { return }
        // The peer's name is the text before the comma: GRDB in "GRDB, including(all:)".
        let name = peer.name.split(separator: ",").first.map { String($0) } ?? peer.name
        self.peer = (name, ratio)
    }

    /// The ratio, or the time if no ratio was measured.
    var text: String {
        ratio.map { Format.ratio($0.median) } ?? Format.time(nanoseconds: nanoseconds)
    }
}

/// A measurement that missed its goal.
struct MissedGoal {
    var row: RowResult
    var result: ContenderResult
    var goal: Goal

    /// The measured value in the form of the goal. A ratio that would be rounded to the limit has an
    /// additional digit.
    var measured: String {
        switch goal {
        case .ratio, .wallRatio:
            goal.ratio(of: result).map { ratio in
                let text = Format.ratio(ratio.median)
                return text == Format.ratio(goal.limit)
                    ? String(format: "%.3f", ratio.median) : text
            } ?? ""
        case .nanoseconds: Format.time(nanoseconds: result.cpu.median)
        case .bytes: result.bytesPerObject.map { "\(Format.whole($0)) B" } ?? ""
        }
    }

    /// The row's title, its part, and the contender if the row has several Cairn contenders.
    var name: String {
        let part = row.part.isEmpty ? "" : ": \(row.part)"
        let count = row.contenders.count { $0.role == .ours }
        return row.title + part + (count > 1 ? " (\(result.name))" : "")
    }
}

extension Report {
    /// The missed goals, in the order of the rows.
    var missedGoals: [MissedGoal] {
        rows.flatMap { row in
            row.contenders.compactMap { result in
                guard result.isGoalMet == false, let goal = result.goal else { return nil }
                return MissedGoal(row: row, result: result, goal: goal)
            }
        }
    }
}
