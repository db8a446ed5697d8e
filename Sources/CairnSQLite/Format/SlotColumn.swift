import CairnModel
import CairnRows
import CairnSQL
import Foundation

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

    /// Whether the slot has a composite that must not be nil. If all of its columns are NULL, it has no values.
    var isRequiredComposite: Bool {
        guard case .attribute(let attribute) = property else { return false }
        return attribute.type == .composite && !attribute.isOptional
    }
}

/// A decimal as Core Data's schema stores it: an INTEGER if it is whole, otherwise a REAL.
///
/// A REAL stands for the shortest decimal that reads back as the same double. Therefore all
/// decimals of up to 15 digits and all whole decimals within 64 bits are read back unchanged.
enum StoredDecimal: Hashable {
    case integer(Int64)
    case real(Double)

    /// Returns `nil` if the decimal would not be read back unchanged.
    init?(_ decimal: Decimal) {
        guard decimal.isFinite, !decimal.isNaN else { return nil }
        let text = decimal.description
        if let integer = Int64(text) {
            self = .integer(integer)
            return
        }
        // The column's NUMERIC affinity turns a whole REAL within 64 bits into an INTEGER. It would
        // be
        // read back with all digits of the double, not as the shortest decimal.
        guard let real = Double(text), real.isFinite, Int64(exactly: real) == nil,
            Self.decimal(real) == decimal
        else { return nil }
        self = .real(real)
    }

    /// Returns the decimal that a REAL stands for, or `nil` if it is outside the range of
    /// `Decimal`.
    static func decimal(_ real: Double) -> Decimal? {
        guard real.isFinite, let decimal = Decimal(string: real.description), !decimal.isNaN,
            Double(decimal.description) == real
        else { return nil }
        return decimal
    }
}
