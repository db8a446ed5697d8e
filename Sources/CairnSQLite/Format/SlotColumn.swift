import CairnModel
import CairnRows

/// The columns that hold the value of one row slot.
struct SlotColumn: Sendable {
    /// One column for a value, up to three columns for a to-one relationship, or one column for
    /// each leaf element of a composite.
    enum Form: Sendable {
        case value(SQLName)
        /// `entity` holds the destination's `Z_ENT`. It is `nil` if the destination has no
        /// subentities or the store has no such column. `order` holds the object's order key among
        /// the destination's members. It is `nil` if the inverse is not ordered.
        case toOne(key: SQLName, entity: SQLName?, order: SQLName?)
        case composite([Element])
    }

    /// A column of an element that is not itself a composite.
    struct Element: Sendable {
        /// The element names, outermost first.
        var path: [String]
        var type: AttributeType
        var name: SQLName
    }

    let slot: RowLayout.Slot
    let property: Property
    var form: Form

    init?(_ slot: RowLayout.Slot, _ property: Property, names: SchemaNames) {
        self.slot = slot
        self.property = property
        switch property {
        case .attribute(let attribute) where attribute.type == .composite:
            form = .composite(
                attribute.leafElements.compactMap { leaf in
                    names.column(of: attribute, path: leaf.path).map {
                        Element(path: leaf.path, type: leaf.type, name: $0)
                    }
                })
        case .attribute(let attribute):
            guard let name = names.column(of: attribute) else { return nil }
            form = .value(name)
        case .relationship(let relationship):
            guard let name = names.column(of: relationship) else { return nil }
            form = .toOne(
                key: name, entity: names.entityColumn(of: relationship),
                order: names.orderColumn(of: relationship))
        case .fetchedProperty: return nil
        }
    }

    /// The column of a value, or of the key of a to-one relationship. `nil` for a composite.
    var name: SQLName? {
        switch form {
        case .value(let name), .toOne(let name, _, _): name
        case .composite: nil
        }
    }
}
