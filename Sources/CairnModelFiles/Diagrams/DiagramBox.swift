import CairnModel

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
