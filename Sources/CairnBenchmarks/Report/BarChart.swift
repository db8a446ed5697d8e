/// One quantity of one row on several engines, as bars on one scale that begins at zero.
struct BarChart {
    /// What the bars show.
    enum Quantity {
        /// The processor time of one operation.
        case processorTime
        /// The wall-clock time of one operation.
        case wallTime
        /// The memory of one object.
        case memory
        /// The size of the store's files for each object in the store.
        case file
    }

    /// The result of an engine.
    struct Bar {
        var engine: String
        var value: Double
        var ratio: Ratio?
        /// The results of the C library and of peers, which are shown as marks.
        var marks: [Mark]
    }

    /// The result of another contender of the engine's row.
    struct Mark {
        /// The library's name, such as `C`.
        var name: String
        /// Whether it is the baseline of the row, instead of a peer.
        var isBaseline: Bool
        var value: Double
        var ratio: Ratio?
    }

    static let baselineName = "C"

    var title: String
    var method: String
    var unit: String
    let quantity: Quantity
    let bars: [Bar]
    /// The value at the end of the scale. Values beyond it are shown as torn bars.
    let end: Double
    /// The engines of which the shortest bar is the measure for all others, or `nil` for all engines.
    var comparable: Set<String>?

    /// Returns the value at the end of the scale. If a bar is five times as long as the next shorter one, it and
    /// all longer bars are torn, because the differences between the other bars could not be seen. At most
    /// half of the bars are torn.
    private static func end(of values: [Double]) -> Double {
        let sorted = values.sorted()
        let last = sorted.indices.dropFirst((sorted.count + 1) / 2).first { index in
            sorted[index] > sorted[index - 1] * 5
        }
        return sorted.prefix(last ?? sorted.count).last ?? 0
    }

    /// Creates a chart. Returns `nil` if the quantity was not measured.
    ///
    /// - Parameters:
    ///   - rows: The results of one part of one row, one for each engine.
    ///   - contender: The name of Cairn's contender, or `nil` for the fastest.
    init?(
        _ rows: [RowResult], _ quantity: Quantity = .processorTime, contender: String? = nil
    ) {
        self.quantity = quantity
        bars = rows.compactMap { row in
            let ours = row.contenders.filter { contender == nil || $0.name == contender }
            guard let (best, value) = quantity.best(.ours, of: ours, row.size) else { return nil }
            let marks = [Contender.Role.baseline, .peer].compactMap { role -> Mark? in
                guard let (other, value) = quantity.best(role, of: row.contenders, row.size)
                else { return nil }
                return Mark(
                    name: other.markName, isBaseline: role == .baseline, value: value,
                    ratio: other.ratio)
            }
            return Bar(engine: row.engine, value: value, ratio: best.ratio, marks: marks)
        }
        guard let row = rows.first, !bars.isEmpty else { return nil }
        let part = row.part.isEmpty ? "" : ": \(row.part)"
        title = row.title.capitalizedFirst + part
        method = row.about.heldFixed
        unit = quantity == .file ? "object" : row.unit
        // A mark may be up to three times as far as the longest bar that is not torn.
        let end = Self.end(of: bars.map(\.value))
        self.end = bars.flatMap(\.marks).map(\.value).filter { $0 <= end * 3 }.reduce(end, max)
    }

    /// The shortest comparable bar's value. If no bar is comparable, the shortest of all.
    var least: Double {
        let compared = bars.filter { comparable?.contains($0.engine) ?? true }
        return (compared.isEmpty ? bars : compared).map(\.value).min() ?? 0
    }

    /// The results of peers. Each has a line of its own, below those of the engines.
    var peers: [Mark] {
        let marks = bars.flatMap(\.marks).filter { !$0.isBaseline }
        return marks.map(\.name).uniqued.compactMap { name in
            marks.filter { $0.name == name }.min { $0.value < $1.value }
        }
    }

    /// Returns a value's position on the scale, from 0 to 1, or `nil` if it is beyond the end.
    func position(of value: Double) -> Double? {
        guard value <= end else { return nil }
        return end > 0 ? value / end : 0
    }

    /// Returns a value with its unit.
    func text(of value: Double) -> String {
        switch quantity {
        case .processorTime, .wallTime: Format.time(nanoseconds: value)
        case .memory, .file: Format.bytes(value)
        }
    }

    /// Returns a value as a multiple of ``least``. Empty for ``least`` itself.
    func multiple(of value: Double) -> String {
        guard least > 0, value != least else { return "" }
        return Format.multiple(value / least)
    }
}

extension BarChart.Quantity {
    /// Returns the contender with the lowest time. For memory, returns the first, because contenders keep
    /// different things.
    fileprivate func best(
        _ role: Contender.Role, of contenders: [ContenderResult], _ size: Int
    ) -> (ContenderResult, Double)? {
        let measured = contenders.filter { $0.role == role }.compactMap { result in
            value(of: result, size).map { (result, $0) }
        }
        if self == .memory { return measured.first }
        return measured.min { $0.1 < $1.1 }
    }

    private func value(of result: ContenderResult, _ size: Int) -> Double? {
        switch self {
        case .processorTime: result.cpu.median
        case .wallTime: result.wall.median
        case .memory: result.bytesPerObject
        case .file: result.fileBytes.map { Double($0) / Double(max(1, size)) }
        }
    }
}

extension ContenderResult {
    /// The text before the comma or the colon: GRDB in “GRDB, including(all:)”. libxml2 is `C`, too.
    var markName: String {
        let library = name.prefix { $0 != "," && $0 != ":" }
        return library == "libxml2" ? BarChart.baselineName : String(library)
    }
}

extension String {
    /// The text with a capital letter at its beginning.
    var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
