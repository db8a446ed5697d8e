import Foundation

/// One row by the number of objects, on two logarithmic axes: a line for each engine, and a dashed line for
/// its C library.
struct GrowthChart {
    private struct Line {
        var engine: String
        var isBaseline: Bool
        var points: [(size: Double, time: Double)]
    }

    private let unit: String
    private let lines: [Line]

    /// Creates the chart. Returns `nil` if no engine was measured at two sizes.
    init?(rows: [RowResult]) {
        let engines = rows.map(\.engine).uniqued
        lines = engines.flatMap { engine -> [Line] in
            let rows = rows.filter { $0.engine == engine }.sorted { $0.size < $1.size }
            return [false, true].map { isBaseline in
                let role: Contender.Role = isBaseline ? .baseline : .ours
                let points = rows.compactMap { row in
                    row.contenders.first { $0.role == role }
                        .map { (size: Double(row.size), time: $0.cpu.median) }
                }
                return Line(engine: engine, isBaseline: isBaseline, points: points)
            }
        }.filter { $0.points.count > 1 && $0.points.allSatisfy { $0.time > 0 } }
        guard !lines.isEmpty, let row = rows.first else { return nil }
        unit = row.unit
    }

    private static let size = (width: 340.0, height: 220.0)
    private static let inset = (left: 52.0, right: 62.0, top: 20.0, bottom: 26.0)

    var svg: String {
        let (size, inset) = (Self.size, Self.inset)
        var svg = SVG(width: size.width, height: size.height, label: "Time per \(unit) over size")
        let points = lines.flatMap(\.points)
        let across = LogScale(
            points.map(\.size), from: inset.left, to: size.width - inset.right)
        // The axis of times runs upwards, and covers at least a decade.
        let times = points.map(\.time)
        let middle = times.reduce(0) { $0 + log10($1) } / Double(max(1, times.count))
        let decade = [pow(10, middle - 0.5), pow(10, middle + 0.5)]
        let up = LogScale(times + decade, from: size.height - inset.bottom, to: inset.top)
        svg.text("per \(unit)", x: 0, y: 11, style: "tick")
        for tick in up.ticks {
            let y = up.x(tick)
            svg.line(x1: inset.left, y1: y, x2: size.width - inset.right, y2: y, style: "gridline")
            svg.text(
                Format.time(nanoseconds: tick).withoutZeros, x: inset.left - 6, y: y + 4,
                anchor: .end, style: "tick")
        }
        for tick in Set(points.map(\.size)).sorted() {
            svg.text(
                Format.whole(tick), x: across.x(tick), y: size.height - 8, anchor: .middle,
                style: "tick")
        }
        draw(across, up, &svg)
        return svg.element
    }

    private func draw(_ across: LogScale, _ up: LogScale, _ svg: inout SVG) {
        for line in lines {
            let corners = line.points.map { (x: across.x($0.size), y: up.x($0.time)) }
            svg.path(
                corners, style: "curve line-\(line.engine)\(line.isBaseline ? " dashed" : "")")
            guard !line.isBaseline else { continue }
            for (corner, point) in zip(corners, line.points) {
                svg.circle(
                    x: corner.x, y: corner.y, radius: 3, style: "engine-\(line.engine)",
                    title: "\(line.engine), \(Format.whole(point.size)): "
                        + Format.time(nanoseconds: point.time))
            }
        }
        // Labels the ends of the lines, and moves labels apart if they would overlap.
        var last = -Double.infinity
        let ends = lines.filter { !$0.isBaseline }.compactMap { line in
            line.points.last.map { (line.engine, up.x($0.time), across.x($0.size)) }
        }
        for (engine, y, x) in ends.sorted(by: { $0.1 < $1.1 }) {
            let corner = max(y + 4, last + 12)
            svg.text(engine, x: x + 7, y: corner, style: "tick text-\(engine)")
            last = corner
        }
    }
}

extension String {
    /// The text without trailing zeros: `1.00 µs` becomes `1 µs`.
    fileprivate var withoutZeros: String {
        replacingOccurrences(of: ".00", with: "").replacingOccurrences(of: ".0 ", with: " ")
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
        let corner = (log(max(value, low)) - log(low)) / (log(high) - log(low))
        return from + (to - from) * corner
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
