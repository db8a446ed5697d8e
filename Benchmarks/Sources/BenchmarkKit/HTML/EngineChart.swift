/// One row on all engines: a bar for each engine, which shows Cairn's time per operation.
struct EngineChart {
    private struct Bar {
        var engine: String
        var result: ContenderResult
    }

    private let part: String
    private let unit: String
    private let bars: [Bar]

    /// Creates the chart. Returns `nil` if fewer than two engines were measured, or if the row has no single
    /// contender to show.
    init?(rows: [RowResult]) {
        bars = rows.compactMap { row in
            row.contenders.first { $0.role == .ours && $0.bytesPerObject == nil }
                .map { Bar(engine: row.engine, result: $0) }
        }
        guard bars.count > 1, let row = rows.first else { return nil }
        let name = bars[0].result.name
        let contender = name.hasPrefix("Cairn, ") ? String(name.dropFirst(7)) : ""
        part = [row.part, contender].filter { !$0.isEmpty }.joined(separator: ", ")
        unit = row.unit
    }

    private static let width = 340.0
    private static let labelWidth = 66.0
    private static let valueWidth = 64.0
    private static let rowHeight = 20.0

    var svg: String {
        let top = 18.0
        let height = top + Double(bars.count) * Self.rowHeight + 4
        var svg = SVG(
            width: Self.width, height: height, label: "\(part) per \(unit), by engine")
        let heading = (part.isEmpty ? "" : "\(part), ") + "per \(unit)"
        svg.text(heading, x: 0, y: 11, style: "tick")
        let most = bars.map(\.result.cpu.median).max() ?? 1
        let room = Self.width - Self.labelWidth - Self.valueWidth
        for (index, bar) in bars.enumerated() {
            let y = top + Double(index) * Self.rowHeight
            let time = bar.result.cpu.median
            let length = most > 0 ? room * time / most : 0
            svg.text(
                bar.engine, x: Self.labelWidth - 8, y: y + 13, anchor: .end, style: "label")
            svg.bar(
                x: Self.labelWidth, y: y + 3, width: max(1.5, length), height: 13,
                style: "engine-\(bar.engine)",
                title: "\(bar.engine): \(Format.time(nanoseconds: time))")
            svg.text(
                Format.time(nanoseconds: time), x: Self.labelWidth + length + 6, y: y + 13,
                style: "value")
        }
        return svg.element
    }
}
