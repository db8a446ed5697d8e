import Foundation

/// One side of a comparison in a ``ValuePredicate``.
struct ValueOperand: Sendable {
    /// The type of the operand, or `nil` if its value is always nil.
    let type: AttributeType?
    let isConstant: Bool
    let read: @Sendable (Value) -> Value

    /// Compiles an expression for values of the type.
    init(_ expression: FetchExpression, for type: AttributeType) throws(FetchPredicateError) {
        switch expression {
        case .constant(let value): self.init(value.type, isConstant: true) { _ in value }
        case .evaluatedObject: self.init(type) { $0 }
        case .keyPath(let names): self = try Self.property(names, of: type)
        case .variable(let name): throw .unsetVariable(name)
        case .function(let name, let arguments):
            self = try Self.call(name, arguments, type, expression)
        case .list, .keyPathOf, .subquery, .conditional:
            throw .unsupported(
                expression: expression.description,
                advice: "A validation rule can only use the value that it checks: compare SELF.")
        }
    }

    private init(
        _ type: AttributeType?, isConstant: Bool = false, read: @escaping @Sendable (Value) -> Value
    ) {
        self.type = type
        self.isConstant = isConstant
        self.read = read
    }

    private static func property(
        _ names: [String], of type: AttributeType
    ) throws(FetchPredicateError) -> ValueOperand {
        switch (names.map { $0.lowercased() }, type) {
        case (["self"], _): return ValueOperand(type) { $0 }
        case (["length"], .string), (["length"], .binary), (["length"], .transformable):
            return ValueOperand(.integer64, read: length)
        case (["timeintervalsincereferencedate"], .date): return ValueOperand(.double) { $0 }
        default:
            throw .unknownKey(
                names.joined(separator: "."), entity: "A value of type \(type)", nearest: "SELF")
        }
    }

    private static func length(_ value: Value) -> Value {
        switch value {
        case .string(let text): .integer(Int64(text.utf16.count))
        case .binary(let data), .transformable(let data): .integer(Int64(data.count))
        default: .null
        }
    }

    private static func call(
        _ name: String, _ arguments: [FetchExpression], _ type: AttributeType,
        _ whole: FetchExpression
    ) throws(FetchPredicateError) -> ValueOperand {
        guard let function = PredicateFunction(rawValue: name),
            function.arity == nil || function.arity == arguments.count
        else {
            throw .unsupported(
                expression: whole.description,
                advice:
                    "Use one of the functions that predicates have, with its number of arguments.")
        }
        var parts: [ValueOperand] = []
        for argument in arguments { parts.append(try ValueOperand(argument, for: type)) }
        let operands = parts
        let takesAll = operands.compactMap(\.type).allSatisfy {
            function.argumentClass == nil || ComparisonClass($0) == function.argumentClass
        }
        guard takesAll else {
            throw .typeMismatch(
                expression: whole.description,
                detail: "the arguments of \(name) must have another type")
        }
        return ValueOperand(function.resultType(of: operands.map(\.type))) { value in
            function.result(of: operands.map { $0.read(value) }, now: Date())
        }
    }

    // MARK: Types

    /// Returns the operand's constant, converted to the type of the other operand.
    ///
    /// - Throws: `.typeMismatch`, including if the operand is not a constant.
    func constant(for other: ValueOperand, in name: String) throws(FetchPredicateError) -> Value {
        let value = read(.null)
        guard isConstant else {
            throw .typeMismatch(
                expression: name, detail: "the elements of a list must be constants")
        }
        guard let type = other.type, !other.isConstant else { return value }
        guard let coerced = ConstantCoercion.coerce(value, to: type) else {
            throw .typeMismatch(
                expression: name,
                detail: "the constant cannot be compared with values of type \(type)")
        }
        return coerced
    }

    /// Checks that the operator can be applied to the types of both sides.
    static func check(
        _ left: ValueOperand, _ word: PredicateComparison.Operator, _ right: ValueOperand,
        in name: String
    ) throws(FetchPredicateError) {
        for type in [left.type, right.type].compactMap(\.self) {
            switch word {
            case .like, .matches, .beginsWith, .endsWith, .contains:
                guard type == .string else {
                    throw .typeMismatch(
                        expression: name, detail: "\(word) can only compare strings")
                }
            case .equal, .notEqual, .in: break
            default:
                guard type.isOrdered else {
                    throw .typeMismatch(expression: name, detail: "the values have no order")
                }
            }
        }
        guard !left.isConstant, !right.isConstant, let a = left.type, let b = right.type,
            ComparisonClass(a) != ComparisonClass(b)
        else { return }
        throw .typeMismatch(
            expression: name,
            detail: "values of type \(a) cannot be compared with values of type \(b)")
    }
}

/// A class of types whose values can be compared with each other.
enum ComparisonClass: Sendable, Hashable {
    /// Integers, decimals, floating-point numbers, Booleans as 0 and 1, and dates as seconds since 2001.
    case number
    case text, uuid, uri, binary, transformable, composite, object

    init?(_ type: AttributeType) {
        switch type {
        case .undefined: return nil
        case .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date:
            self = .number
        case .string: self = .text
        case .binary: self = .binary
        case .uuid: self = .uuid
        case .uri: self = .uri
        case .transformable: self = .transformable
        case .objectID: self = .object
        case .composite: self = .composite
        }
    }

    /// Whether values of the class have an order.
    var isOrdered: Bool {
        switch self {
        case .number, .text, .uuid, .uri: true
        case .binary, .transformable, .composite, .object: false
        }
    }
}

extension AttributeType {
    /// Whether values of the type have an order, so that they can be compared with `<`, sorted, and used with
    /// `@min` and `@max`.
    package var isOrdered: Bool { ComparisonClass(self)?.isOrdered ?? false }
}

extension Value {
    /// The widest attribute type that can store the value. `nil` for `.null`.
    package var type: AttributeType? {
        switch self {
        case .null: nil
        case .boolean: .boolean
        case .integer: .integer64
        case .double: .double
        case .float: .float
        case .decimal: .decimal
        case .string: .string
        case .date: .date
        case .binary: .binary
        case .uuid: .uuid
        case .uri: .uri
        case .transformable: .transformable
        case .composite: .composite
        case .objectID: .objectID
        }
    }
}
