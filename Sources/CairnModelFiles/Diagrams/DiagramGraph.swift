import CairnModel

/// The boxes of a model's diagram, and the lines between them.
struct DiagramGraph: Sendable {
    /// One end of a line, which is at a row of a box or at the box's head.
    struct End {
        var box: Int
        /// The index of the row, or `nil` for the head.
        let row: Int?
    }

    /// The symbol at the end of a line.
    enum Mark {
        case one, many
        /// The destination of a relationship without an inverse.
        case arrow
        /// The end at the superentity.
        case triangle
        case none
    }

    struct Line {
        var start: End
        let startMark: Mark
        var end: End
        let endMark: Mark
    }

    let boxes: [DiagramBox]
    let lines: [Line]

    init(_ model: ManagedObjectModel) {
        let entities = model.entities
        boxes = entities.map(DiagramBox.init)
        var lines: [Line] = []
        for entity in entities {
            if let above = entity.superentity {
                lines.append(
                    Line(
                        start: End(box: Self.box(of: entity), row: nil), startMark: .none,
                        end: End(box: Self.box(of: above), row: nil), endMark: .triangle))
            }
            for case .relationship(let relationship) in entity.ownProperties {
                if let line = Self.line(of: relationship) { lines.append(line) }
            }
        }
        self.lines = lines
    }

    private init(boxes: [DiagramBox], lines: [Line]) { (self.boxes, self.lines) = (boxes, lines) }

    /// Returns the graph of an entity and of those that lines connect with it, with all lines between them.
    func neighbourhood(of entity: Entity) -> DiagramGraph {
        let centre = Self.box(of: entity)
        let kept = Set(neighbours[centre] + [centre]).sorted()
        let indices = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($1, $0) })
        let lines = lines.compactMap { line -> Line? in
            guard let start = indices[line.start.box], let end = indices[line.end.box] else {
                return nil
            }
            var line = line
            (line.start.box, line.end.box) = (start, end)
            return line
        }
        return DiagramGraph(boxes: kept.map { boxes[$0] }, lines: lines)
    }

    private static func box(of entity: Entity) -> Int { Int(entity.number.rawValue) - 1 }

    private static func end(_ relationship: Relationship) -> End {
        let row = relationship.entity.ownProperties.firstIndex { $0.name == relationship.name }
        return End(box: box(of: relationship.entity), row: row)
    }

    /// Returns the line for a relationship and its inverse. Returns `nil` if the line belongs to the inverse.
    private static func line(of relationship: Relationship) -> Line? {
        let start = end(relationship)
        let mark: Mark = relationship.isToMany ? .many : .one
        guard let inverse = relationship.inverse else {
            let target = End(box: box(of: relationship.destination), row: nil)
            return Line(
                start: start, startMark: .none, end: target,
                endMark: relationship.isToMany ? .many : .arrow)
        }
        // If the inverse's own inverse is a different relationship, it has a line of its own.
        let isMutual = inverse.inverse == relationship
        let other = end(inverse)
        let isSecond = (other.box, other.row ?? 0) < (start.box, start.row ?? 0)
        if isMutual, isSecond { return nil }
        return Line(
            start: start, startMark: inverse.isToMany ? .many : .one, end: other, endMark: mark)
    }

    /// For each box, the other boxes that lines connect it with.
    var neighbours: [[Int]] {
        var sets = [Set<Int>](repeating: [], count: boxes.count)
        for line in lines where line.start.box != line.end.box {
            sets[line.start.box].insert(line.end.box)
            sets[line.end.box].insert(line.start.box)
        }
        return sets.map { $0.sorted() }
    }
}
