/// The layout of one connected part of a diagram in columns.
struct DiagramColumns {
    private static let boxGap = 28.0
    /// The height above which a column is divided into several, if that brings the shape closer to a page.
    private static let tallest = 1500.0

    /// The boxes of each column, from top to bottom.
    private(set) var boxes: [[Int]]
    /// The y-coordinate of the top of each box, in the same order as ``boxes``. The smallest is 0.
    private(set) var tops: [[Double]] = []
    private(set) var columnX: [Double] = []
    private(set) var columnWidth: [Double] = []
    private(set) var width = 0.0
    private(set) var height = 0.0

    private let graph: DiagramGraph
    private let neighbours: [[Int]]

    /// - Precondition: `members` is not empty, and its boxes are connected.
    init(_ members: [Int], graph: DiagramGraph, neighbours: [[Int]]) {
        self.graph = graph
        self.neighbours = neighbours
        boxes = []
        let columns = bestColumns(members)
        boxes = divided(columns)
        for _ in 0..<8 { orderColumns() }
        stack()
        // Straight lines past several columns would pull boxes apart.
        if boxes.count == columns.count { for _ in 0..<8 { straighten() } }
        moveToTop()
        arrangeColumns()
    }

    // MARK: Columns

    /// Tries different boxes as the first one, and returns the columns whose shape is closest to a page.
    private func bestColumns(_ members: [Int]) -> [[Int]] {
        let candidates = members.prefix(60).map { columns(from: $0) }
        return candidates.min { score($0) < score($1) } ?? [members]
    }

    /// Returns columns of boxes by their distance from the first box, counted in lines.
    private func columns(from first: Int) -> [[Int]] {
        var (seen, columns): (Set<Int>, [[Int]]) = ([first], [[first]])
        while let last = columns.last {
            var next: [Int] = []
            for box in last {
                for neighbour in neighbours[box] where seen.insert(neighbour).inserted {
                    next.append(neighbour)
                }
            }
            if next.isEmpty { break }
            columns.append(next)
        }
        return columns
    }

    /// Divides columns that are too tall. Boxes that the same box leads to may then be in several columns.
    private func divided(_ columns: [[Int]]) -> [[Int]] {
        let height = columns.map(stackHeight).max() ?? 0
        guard height > Self.tallest else { return columns }
        let choices = (1...24).map { count in
            columns.flatMap { parts(of: $0, height: height / Double(count)) }
        }
        return choices.min { score($0) < score($1) } ?? columns
    }

    /// Divides a column into as few as possible of about the same height.
    private func parts(of column: [Int], height limit: Double) -> [[Int]] {
        let total = stackHeight(column)
        let count = (total / limit).rounded(.up)
        var parts: [[Int]] = [[]]
        for box in column {
            if stackHeight(parts[parts.count - 1]) >= total / count { parts.append([]) }
            parts[parts.count - 1].append(box)
        }
        return parts
    }

    /// Returns a score, which is lower for better columns. It measures how far the ratio of width to height
    /// is from 1.5. Lines within a column also increase the score, because they are the hardest to follow.
    private func score(_ columns: [[Int]]) -> Double {
        let width = columns.reduce(0) { sum, column in
            sum + 110 + (column.map { graph.boxes[$0].width }.max() ?? 0)
        }
        let height = columns.map(stackHeight).max() ?? 1
        let ratio = width / height / 1.5
        var columnOf: [Int: Int] = [:]
        for (number, column) in columns.enumerated() {
            for box in column { columnOf[box] = number }
        }
        let inside = columnOf.reduce(0) { count, entry in
            count + neighbours[entry.key].count { columnOf[$0] == entry.value }
        }
        return max(ratio, 1 / ratio) + Double(inside) / Double(max(1, columnOf.count))
    }

    private func stackHeight(_ column: [Int]) -> Double {
        column.reduce(-Self.boxGap) { $0 + graph.boxes[$1].height + Self.boxGap }
    }

    // MARK: Order

    /// Sorts each column by the positions of its boxes' neighbours, first from left to right, then from right
    /// to left.
    private mutating func orderColumns() {
        for column in boxes.indices.dropFirst() { order(column, by: column - 1) }
        for column in boxes.indices.dropLast().reversed() { order(column, by: column + 1) }
    }

    private mutating func order(_ column: Int, by other: Int) {
        let positions = Dictionary(
            uniqueKeysWithValues: boxes[other].enumerated().map { ($1, Double($0)) })
        let share = Double(boxes[other].count) / Double(max(1, boxes[column].count))
        let wanted = boxes[column].enumerated().map { position, box in
            let near = neighbours[box].compactMap { positions[$0] }
            let mean = near.reduce(0, +) / Double(max(1, near.count))
            return (box, near.isEmpty ? Double(position) * share : mean, position)
        }
        boxes[column] = wanted.sorted { ($0.1, $0.2) < ($1.1, $1.2) }.map(\.0)
    }

    // MARK: Heights

    private mutating func stack() {
        tops = boxes.map { column in
            var top = -stackHeight(column) / 2
            return column.map { box in
                defer { top += graph.boxes[box].height + Self.boxGap }
                return top
            }
        }
    }

    /// Moves each box towards its neighbours without changing the order.
    private mutating func straighten() {
        var centres: [Int: Double] = [:]
        for (column, members) in boxes.enumerated() {
            for (position, box) in members.enumerated() {
                centres[box] = tops[column][position] + graph.boxes[box].height / 2
            }
        }
        for column in boxes.indices {
            let wanted = boxes[column].map { box in
                let near = neighbours[box].compactMap { centres[$0] }
                let centre =
                    near.isEmpty
                    ? centres[box] ?? 0 : near.reduce(0, +) / Double(near.count)
                return centre - graph.boxes[box].height / 2
            }
            tops[column] = separated(wanted, boxes[column])
        }
    }

    /// Moves boxes down until they no longer overlap, then shifts all of them so that their average position
    /// is the one requested.
    private func separated(_ wanted: [Double], _ column: [Int]) -> [Double] {
        var tops = wanted
        for position in tops.indices.dropFirst() {
            let above = tops[position - 1] + graph.boxes[column[position - 1]].height
            tops[position] = max(tops[position], above + Self.boxGap)
        }
        let shift = zip(tops, wanted).reduce(0) { $0 + $1.0 - $1.1 } / Double(max(1, tops.count))
        return tops.map { $0 - shift }
    }

    private mutating func moveToTop() {
        let least = tops.joined().min() ?? 0
        tops = tops.map { $0.map { $0 - least } }
        for (column, members) in boxes.enumerated() {
            for (position, box) in members.enumerated() {
                height = max(height, tops[column][position] + graph.boxes[box].height)
            }
        }
    }

    // MARK: Widths

    /// Sets the positions and widths of the columns. The more lines join two columns, the wider the gap
    /// between them.
    private mutating func arrangeColumns() {
        var x = 0.0
        for (number, column) in boxes.enumerated() {
            let members = Set(column)
            let isLast = number == boxes.count - 1
            let lines = graph.lines.count { line in
                members.contains(line.start.box) || members.contains(line.end.box)
            }
            let loops = graph.lines.contains { line in
                members.contains(line.start.box) && members.contains(line.end.box)
            }
            columnX.append(x)
            columnWidth.append(column.map { graph.boxes[$0].width }.max() ?? 0)
            let gap = min(150, 64 + 4 * Double(lines))
            x += columnWidth[number] + (isLast ? (loops ? 60 : 0) : gap)
        }
        width = x
    }
}
