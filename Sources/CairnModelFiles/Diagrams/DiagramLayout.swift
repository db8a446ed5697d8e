import CairnModel

/// The positions of the boxes of a diagram.
///
/// Each connected part of the graph is drawn in columns. A column contains boxes that are the same number of
/// lines away from the first box. Therefore, each line connects boxes in neighbouring columns or in the same
/// column, unless a column was too tall and was divided. A line past a column goes through a gap between two of
/// its boxes (``passage(ofColumn:part:near:)``), so lines never cross a box. The parts are arranged in rows.
struct DiagramLayout {
    struct Frame {
        var x: Double
        var y: Double
        var width: Double
        var height: Double
        /// The column within the part, and the part.
        var column: Int
        var part: Int
    }

    static let margin = 24.0
    private static let partGap = 48.0

    /// The frame of each box, by the box's index.
    private(set) var frames: [Frame] = []
    private(set) var width = 0.0
    private(set) var height = 0.0

    init(_ graph: DiagramGraph) {
        let neighbours = graph.neighbours
        frames = graph.boxes.map {
            Frame(x: 0, y: 0, width: $0.width, height: $0.height, column: 0, part: 0)
        }
        var parts: [DiagramColumns] = []
        for members in Self.parts(neighbours) {
            parts.append(DiagramColumns(members, graph: graph, neighbours: neighbours))
        }
        parts.sort { ($0.height, $0.boxes[0][0]) > ($1.height, $1.boxes[0][0]) }
        arrange(parts)
    }

    /// Returns the left and right edges of a column, and a height in it at which a line crosses no box.
    ///
    /// - Parameter y: The preferred height.
    func passage(
        ofColumn column: Int, part: Int, near y: Double
    ) -> (left: Double, right: Double, y: Double) {
        let boxes = frames.filter { $0.part == part && $0.column == column }
            .sorted { $0.y < $1.y }
        let distance = 8.0
        var heights: [Double] = []
        var above = -Double.infinity
        for box in boxes {
            let below = box.y - distance
            if above <= below { heights.append(min(max(y, above), below)) }
            above = box.y + box.height + distance
        }
        heights.append(max(y, above))
        let left = boxes.map(\.x).min() ?? 0
        return (
            left, boxes.map { $0.x + $0.width }.max() ?? left,
            heights.min { abs($0 - y) < abs($1 - y) } ?? y
        )
    }

    /// Returns the connected parts, each as a sorted list of boxes.
    private static func parts(_ neighbours: [[Int]]) -> [[Int]] {
        var isSeen = [Bool](repeating: false, count: neighbours.count)
        var parts: [[Int]] = []
        for start in neighbours.indices where !isSeen[start] {
            var (part, pending) = ([Int](), [start])
            isSeen[start] = true
            while let box = pending.popLast() {
                part.append(box)
                for next in neighbours[box] where !isSeen[next] {
                    isSeen[next] = true
                    pending.append(next)
                }
            }
            parts.append(part.sorted())
        }
        return parts
    }

    /// Arranges the parts in rows, from the left. The maximum width of a row is chosen so that the width of
    /// the diagram is about 1.5 times its height.
    private mutating func arrange(_ parts: [DiagramColumns]) {
        let area = parts.reduce(0) {
            $0 + ($1.width + Self.partGap) * ($1.height + Self.partGap)
        }
        let limit = max(parts.map(\.width).max() ?? 0, (area * 1.5).squareRoot())
        var (x, y, rowHeight) = (Self.margin, Self.margin, 0.0)
        for (number, part) in parts.enumerated() {
            if x > Self.margin, x + part.width > limit + Self.margin {
                x = Self.margin
                y += rowHeight + Self.partGap
                rowHeight = 0
            }
            for (column, boxes) in part.boxes.enumerated() {
                for (position, box) in boxes.enumerated() {
                    frames[box].x = x + part.columnX[column]
                    frames[box].width = part.columnWidth[column]
                    frames[box].y = y + part.tops[column][position]
                    frames[box].column = column
                    frames[box].part = number
                }
            }
            width = max(width, x + part.width + Self.margin)
            x += part.width + Self.partGap
            rowHeight = max(rowHeight, part.height)
        }
        width = max(width, 2 * Self.margin)
        height = y + rowHeight + Self.margin
    }
}

/// The box of an entity, which contains its name and a row for each property that it declares.
struct DiagramBox {
    /// A line of text in the box.
    struct Row {
        /// The name of the property.
        let name: String
        /// The type of an attribute, or the destination of a relationship.
        let detail: String
        let isRelationship: Bool
    }

    /// Sizes in SVG units. The text is monospaced, so its width is known without a font.
    enum Metrics {
        static let characterWidth = 7.3
        static let rowHeight = 18.0
        static let headHeight = 26.0
        static let padding = 10.0
    }

    let title: String
    let isAbstract: Bool
    let rows: [Row]

    init(_ entity: Entity) {
        title = entity.name + (entity.superentity.map { " : \($0.name)" } ?? "")
        isAbstract = entity.isAbstract
        rows = entity.ownProperties.map(Row.init)
    }

    /// The width that is required for the text.
    var width: Double {
        let columns = rows.map { $0.name.count + $0.detail.count + 3 } + [title.count + 1]
        return Double(columns.max() ?? 0) * Metrics.characterWidth + 2 * Metrics.padding
    }

    var height: Double {
        Metrics.headHeight + Double(rows.count) * Metrics.rowHeight
            + (rows.isEmpty ? 0 : Metrics.padding / 2)
    }

    /// The distance from the top of the box to the middle of a row, or to the middle of the head for `nil`.
    func offset(ofRow row: Int?) -> Double {
        guard let row else { return Metrics.headHeight / 2 }
        return Metrics.headHeight + (Double(row) + 0.5) * Metrics.rowHeight
    }
}

extension DiagramBox.Row {
    init(_ property: Property) {
        name = property.name
        switch property {
        case .attribute(let attribute):
            isRelationship = false
            var words = ["\(attribute.type)" + (attribute.isOptional ? "?" : "")]
            if attribute.isTransient { words.append("transient") }
            if attribute.isDerived { words.append("derived") }
            detail = words.joined(separator: ", ")
        case .relationship(let relationship):
            isRelationship = true
            let mark =
                relationship.isToMany
                ? (relationship.isOrdered ? "* ordered" : "*")
                : (relationship.isOptional ? "?" : "")
            detail = relationship.destination.name + mark
        case .fetchedProperty(let fetched):
            isRelationship = false
            detail = "fetch of \(fetched.description.template.entity)"
        }
    }
}
