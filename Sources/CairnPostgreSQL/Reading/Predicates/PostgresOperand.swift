import CairnModel
import CairnRows
import Foundation

/// One side of a comparison, translated to SQL.
enum PostgresOperand {
    case null
    /// A value whose form depends on the other side.
    case constant(Value)
    case expression(String, Kind)

    var kind: Kind? {
        if case .expression(_, let kind) = self { kind } else { nil }
    }

    /// The meaning of an expression's values. Only values of one kind are compared with each other: the server rounds
    /// integers and decimals that it compares with doubles.
    enum Kind: Hashable {
        case integer, real, date, decimal, text, uri, uuid, bytes
        /// The key of an object with the given root entity.
        case object(EntityNumber)
        /// A value of which SQL can only tell whether it is `nil`.
        case opaque

        init(_ kind: RowLayout.Kind) {
            self =
                switch kind {
                case .boolean, .int16, .int32, .int64: .integer
                case .float, .double: .real
                case .date: .date
                case .decimal: .decimal
                case .string: .text
                case .uri: .uri
                case .uuid: .uuid
                case .binary, .transformable: .bytes
                case .toOne, .externalBinary, .composite: .opaque
                }
        }

        var isOrdered: Bool {
            switch self {
            case .integer, .real, .date, .decimal, .text, .uri, .uuid: true
            case .bytes, .object, .opaque: false
            }
        }

        var isSortable: Bool {
            if case .object = self { true } else { isOrdered }
        }

        /// NaN in SQL, if values of the kind may be NaN.
        var notANumber: String? {
            switch self {
            case .real, .date: "'NaN'::float8"
            case .decimal: "'NaN'::numeric"
            default: nil
            }
        }

        /// What follows a parameter of the kind.
        var cast: String { self == .decimal ? "::numeric" : "" }

        /// Returns the parameter that makes a constant comparable with values of the kind. Returns `nil` if there is no
        /// exact one.
        func parameter(_ value: Value) -> PostgresParameter? {
            switch (self, value) {
            case (.integer, .integer(let value)): .integer(value)
            case (.integer, .boolean(let flag)): .integer(flag ? 1 : 0)
            case (.integer, .double(let value)): Int64(exactly: value).map { .integer($0) }
            case (.real, .double(let value)): .real(value)
            case (.real, .float(let value)): .real(Double(value))
            case (.real, .integer(let value)): Double(exactly: value).map { .real($0) }
            case (.date, .date(let date)): .real(date.timeIntervalSinceReferenceDate)
            case (.decimal, .decimal(let value)): .text(value.isNaN ? "NaN" : "\(value)")
            case (.decimal, .integer(let value)): .text("\(value)")
            // The server cannot hold such a text, so no row has it, but neither can it be sent.
            case (.text, .string(let text)) where !text.utf8.contains(0): .text(text)
            case (.uri, .uri(let url)): .text(url.absoluteString)
            case (.uuid, .uuid(let uuid)): .uuid(uuid)
            case (.bytes, .binary(let data)), (.bytes, .transformable(let data)): .bytes(data)
            default: nil
            }
        }
    }
}
