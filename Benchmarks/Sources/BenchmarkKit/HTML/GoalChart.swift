import Foundation

/// Measurements divided by their goals, on a logarithmic axis on which the goal is 1.
struct GoalChart {
    /// A measurement with a goal.
    struct Point {
        var label: String
        /// The measurement divided by the goal.
        var value: Double
        var low: Double
        var high: Double
        var isMet: Bool
        var tip: String
        /// The engine and size. Points with the same group are adjacent.
        var group: String

        /// Creates a point. Returns `nil` if the contender has no goal, or if the goal's quantity was not
        /// measured.
        init?(_ result: ContenderResult, of row: RowResult) {
            guard let goal = result.goal, let isMet = result.isGoalMet else { return nil }
            let measured: (low: Double, median: Double, high: Double)
            let shown: String
            switch goal {
            case .ratio, .wallRatio:
                guard let ratio = goal.ratio(of: result) else { return nil }
                measured = (ratio.low, ratio.median, ratio.high)
                shown = Format.ratio(ratio.median)
            case .nanoseconds:
                let cpu = result.cpu
                measured = (cpu.lowerQuartile, cpu.median, cpu.upperQuartile)
                shown = Format.time(nanoseconds: cpu.median)
            case .bytes:
                guard let bytes = result.bytesPerObject else { return nil }
                measured = (bytes, bytes, bytes)
                shown = "\(Format.whole(bytes)) B"
            }
            let part = row.part.isEmpty ? "" : ", \(row.part)"
            let name = result.name.hasPrefix("Cairn, ") ? String(result.name.dropFirst(7)) : ""
            let suffix = name.isEmpty || name == row.part ? "" : ", \(name)"
            label = "\(row.workload)\(part)\(suffix)"
            value = measured.median / goal.limit
            low = measured.low / goal.limit
            high = measured.high / goal.limit
            self.isMet = isMet
            tip = "\(row.title): \(shown), goal \(goal.text)"
            group = "\(row.engine), \(Format.whole(Double(row.size))) objects"
        }
    }

    let points: [Point]

    private static let width = 440.0
    private static let labelWidth = 172.0
    private static let valueWidth = 46.0
    private static let rowHeight = 22.0
    private static let top = 22.0

    var svg: String {
        let height = Self.top + Double(points.count) * Self.rowHeight + 6
        var svg = SVG(width: Self.width, height: height, label: "Measurements over their goals")
        let scale = self.scale
        for tick in scale.ticks {
            let x = scale.x(tick)
            let style = tick == 1 ? "limit" : "gridline"
            svg.line(x1: x, y1: Self.top, x2: x, y2: height - 4, style: style)
            svg.text(
                tick == 1 ? "goal" : "×\(tick.plain)", x: x, y: 13, anchor: .middle,
                style: tick == 1 ? "tick strong" : "tick")
        }
        for (index, point) in points.enumerated() {
            draw(point, at: Self.top + (Double(index) + 0.5) * Self.rowHeight, scale, &svg)
        }
        return svg.element
    }

    private func draw(_ point: Point, at y: Double, _ scale: LogScale, _ svg: inout SVG) {
        let style = point.isMet ? "met" : "missed"
        svg.text(point.label, x: Self.labelWidth - 10, y: y + 4, anchor: .end, style: "label")
        svg.line(
            x1: scale.x(1), y1: y, x2: scale.x(point.value), y2: y, style: "stem \(style)-line")
        svg.bar(
            x: scale.x(point.low), y: y - 4,
            width: scale.x(point.high) - scale.x(point.low), height: 8, style: "\(style) faint")
        svg.circle(
            x: scale.x(point.value), y: y, radius: 5, style: style, title: point.tip)
        svg.text(
            "×\(Format.ratio(point.value))", x: Self.width - 2, y: y + 4, anchor: .end,
            style: "value \(style)-text")
    }

    private var scale: LogScale {
        let values = points.flatMap { (point) -> [Double] in [point.low, point.high, point.value] }
        return LogScale(
            values + [0.5, 2], from: Self.labelWidth, to: Self.width - Self.valueWidth - 12)
    }
}

/// A logarithmic axis.
struct LogScale {
    private let low: Double
    private let high: Double
    private let from: Double
    private let to: Double

    /// Creates an axis for all values, extended to the next multiple of a power of ten by 1, 2 or 5.
    init(_ values: [Double], from: Double, to: Double) {
        let positive = values.filter { $0 > 0 }
        let (least, most) = (positive.min() ?? 0.5, positive.max() ?? 2)
        low = Self.steps.last { $0 <= least } ?? least
        high = Self.steps.first { $0 >= most } ?? most
        self.from = from
        self.to = to
    }

    private static let steps: [Double] = (-6...12).flatMap { power -> [Double] in
        [1.0, 2.0, 5.0].map { $0 * pow(10.0, Double(power)) }
    }

    func x(_ value: Double) -> Double {
        guard high > low else { return from }
        let place = (log(max(value, low)) - log(low)) / (log(high) - log(low))
        return from + (to - from) * place
    }

    /// The values at which lines are drawn. There are few enough that their labels do not overlap.
    var ticks: [Double] {
        let all = Self.steps.filter { $0 >= low && $0 <= high }
        guard all.count > 5 else { return all }
        return all.filter { step in
            let power = log10(step)
            return abs(power - power.rounded()) < 1e-9
        }
    }
}

extension Double {
    /// The number without superfluous decimals: 0.5, 2, 100.
    var plain: String {
        self >= 1 || self == 0 ? Format.whole(self) : String(format: "%g", self)
    }
}
