import CairnModel
import Foundation

/// One side of a comparison, translated to SQL.
enum SQLOperand {
    case null
    /// A value that is not translated yet, because its binding depends on the other side.
    case constant(Value)
    case expression(SQLText, Kind)

    /// The meaning of an expression's values, which determines what they can be compared with.
    enum Kind: Hashable {
        /// Integers and Booleans, stored as INTEGER.
        case integer
        /// Floats and doubles, stored as REAL.
        case real
        /// Seconds since 2001, stored as REAL, or as INTEGER if whole.
        case date
        /// A decimal, stored as REAL, or as INTEGER if whole. A REAL stands for its shortest
        /// decimal.
        case decimal
        case text, uri, uuid, binary, transformable
        /// The key of an object with the given root entity.
        case object(EntityNumber)
        /// A value of which SQL can only tell whether it is `nil`.
        case opaque

        init?(_ type: AttributeType) {
            switch type {
            case .integer16, .integer32, .integer64, .boolean: self = .integer
            case .double, .float: self = .real
            case .date: self = .date
            case .decimal: self = .decimal
            case .string: self = .text
            case .uri: self = .uri
            case .uuid: self = .uuid
            case .binary: self = .binary
            case .transformable: self = .transformable
            case .undefined, .objectID, .composite: return nil
            }
        }

        /// Whether SQL compares values of both kinds according to their meaning.
        func compares(with other: Kind) -> Bool {
            switch (self, other) {
            case (.integer, .real), (.real, .integer), (.integer, .date), (.date, .integer),
                (.real, .date), (.date, .real), (.integer, .decimal), (.decimal, .integer):
                true
            case (.opaque, _): false
            // The double 0.1 is not the decimal 0.1, but SQLite would find them equal.
            default: self == other
            }
        }

        /// Whether values of this kind are bytes, which may be stored as a text: see ``StoredRow``.
        var mayBeText: Bool { self == .binary || self == .transformable }

        /// Whether SQLite sorts values of this kind in the correct order.
        var isOrdered: Bool {
            switch self {
            case .integer, .real, .date, .decimal, .text, .uri, .uuid: true
            case .binary, .transformable, .object, .opaque: false
            }
        }
    }
}

extension SQLOperand.Kind {
    /// Returns the parameter that makes a constant comparable with values of this kind.
    ///
    /// - Throws: `Untranslatable` if SQL's comparison would differ from the evaluator's.
    func parameter(_ value: Value) throws(Untranslatable) -> SQLText.Parameter {
        switch (self, value) {
        case (.text, .string(let text)): .text(text)
        case (.uri, .uri(let url)): .text(url.absoluteString)
        case (.uuid, .uuid(let uuid)): .blob(withUnsafeBytes(of: uuid.uuid) { Data($0) })
        case (.binary, .binary(let data)), (.transformable, .transformable(let data)): .blob(data)
        case (.integer, _), (.real, _), (.date, _): try Self.number(value)
        case (.decimal, _): try Self.decimal(value)
        default: throw Untranslatable()
        }
    }

    /// Returns the parameter for a number. SQLite compares integers and doubles by their exact
    /// values.
    private static func number(_ value: Value) throws(Untranslatable) -> SQLText.Parameter {
        switch value {
        case .integer(let value): .integer(value)
        case .boolean(let flag): .integer(flag ? 1 : 0)
        // A NaN would be bound as NULL.
        case .double(let value) where !value.isNaN: .real(value)
        case .float(let value) where !value.isNaN: .real(Double(value))
        case .date(let date) where !date.timeIntervalSinceReferenceDate.isNaN:
            .real(date.timeIntervalSinceReferenceDate)
        default: throw Untranslatable()
        }
    }

    /// Returns the parameter for a decimal. A stored double stands for its shortest decimal, and
    /// the order of these decimals is that of the doubles. Therefore doubles can be compared if the
    /// constant is the shortest decimal of a double.
    private static func decimal(_ value: Value) throws(Untranslatable) -> SQLText.Parameter {
        switch value {
        case .integer(let value): return .integer(value)
        case .boolean(let flag): return .integer(flag ? 1 : 0)
        case .decimal(let value):
            switch StoredDecimal(value) {
            case .integer(let value): return .integer(value)
            case .real(let value): return .real(value)
            case nil: throw Untranslatable()
            }
        default: throw Untranslatable()
        }
    }
}
