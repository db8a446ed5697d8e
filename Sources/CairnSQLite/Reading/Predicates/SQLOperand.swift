import CairnModel
import Foundation

/// A side of a comparison, as SQL knows it.
enum SQLOperand {
    case null
    /// Not in SQL yet: how it is bound depends on what it is compared with.
    case constant(Value)
    case expression(SQLText, Kind)

    /// What the values of an expression mean, and so what they compare with.
    enum Kind: Hashable {
        /// Integers and Booleans, kept as INTEGER.
        case integer
        /// Float and double, kept as REAL.
        case real
        /// Seconds since 2001, kept as REAL or, where whole, as INTEGER.
        case date
        /// Kept as REAL or, where whole, as INTEGER; means the shortest decimal of the REAL.
        case decimal
        case text, uri, uuid, binary, transformable
        /// The key of an object of that root entity.
        case object(EntityNumber)
        /// Something of which SQL can only tell whether it is nil.
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

        /// Whether SQL compares values of both kinds by what they mean.
        func compares(with other: Kind) -> Bool {
            switch (self, other) {
            case (.integer, .real), (.real, .integer), (.integer, .date), (.date, .integer),
                (.real, .date), (.date, .real), (.integer, .decimal), (.decimal, .integer):
                true
            case (.opaque, _): false
            // 0.1 as a double is not the decimal 0.1, and SQLite would say that it is.
            default: self == other
            }
        }

        /// Whether values have an order that is SQLite's.
        var isOrdered: Bool {
            switch self {
            case .integer, .real, .date, .decimal, .text, .uri, .uuid: true
            case .binary, .transformable, .object, .opaque: false
            }
        }
    }
}

extension SQLOperand.Kind {
    /// How a constant is bound so that it compares with values of this kind.
    ///
    /// - Throws: if SQL would compare them otherwise than the evaluator.
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

    /// SQLite compares integers and doubles by their exact values.
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

    /// A stored double means its shortest decimal, which grows with the double: comparing doubles
    /// is comparing decimals where the constant is itself the shortest decimal of a double.
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
