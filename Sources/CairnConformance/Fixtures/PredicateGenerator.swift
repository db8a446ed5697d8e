import CairnModel
import Foundation

/// Generates random predicates that fit an entity. The same seed gives the same predicates, so that a
/// failure can be repeated.
///
/// Constants are often values from the store, or near them, because other constants match nothing.
package struct PredicateGenerator {
    private var random: SplitMix64
    private let entity: Entity
    /// The values in the store, by declaring entity and attribute.
    private let samples: [String: [Value]]
    private let ids: [ObjectID]

    package init(seed: UInt64, entity: Entity, samples: [String: [Value]], ids: [ObjectID]) {
        random = SplitMix64(state: seed)
        self.entity = entity
        self.samples = samples
        self.ids = ids
    }

    /// Returns the key of an attribute's values in the samples.
    package static func sampleKey(_ attribute: Attribute) -> String {
        "\(attribute.entity.name).\(attribute.name)"
    }

    /// Returns the next predicate. It may be a predicate that does not bind to the entity.
    package mutating func predicate(depth: Int = 3) -> FetchPredicate {
        switch below(depth > 0 ? 10 : 6) {
        case 0: .comparison(quantified())
        case 1: .comparison(summary())
        case 2: .comparison(arithmetic())
        case 3...5: .comparison(comparison(of: path(entity, to: 2)))
        case 6: .not(predicate(depth: depth - 1))
        case 7: .or(parts(depth))
        default: .and(parts(depth))
        }
    }

    private mutating func parts(_ depth: Int) -> [FetchPredicate] {
        (0..<1 + below(3)).map { _ in predicate(depth: depth - 1) }
    }

    // MARK: Paths

    private struct Path {
        var names: [String]
        /// The attribute at the end of the path. `nil` if the path ends at an object.
        var attribute: Attribute?
    }

    /// Returns a path through to-one relationships to an attribute or an object.
    private mutating func path(_ entity: Entity, to depth: Int) -> Path {
        let toOnes = entity.relationships.filter { !$0.isToMany && !$0.isTransient }
        if depth > 0, !toOnes.isEmpty, below(3) == 0 {
            let relationship = toOnes[below(toOnes.count)]
            var rest = path(relationship.destination, to: depth - 1)
            if below(4) == 0 { rest = Path(names: []) }
            rest.names.insert(relationship.name, at: 0)
            return rest
        }
        let attributes = entity.attributes.filter { !$0.isTransient && $0.type != .composite }
        guard !attributes.isEmpty else { return Path(names: []) }
        let attribute = attributes[below(attributes.count)]
        return Path(names: [attribute.name], attribute: attribute)
    }

    private mutating func toManyPath() -> Path? {
        let all = entity.relationships.filter { !$0.isTransient }
        var names: [String] = []
        var current = all.filter(\.isToMany)
        if let toOne = all.first(where: { !$0.isToMany }), below(4) == 0 {
            names.append(toOne.name)
            current = toOne.destination.relationships.filter { $0.isToMany && !$0.isTransient }
        }
        guard !current.isEmpty else { return nil }
        let toMany = current[below(current.count)]
        names.append(toMany.name)
        let further = toMany.destination.relationships.filter { !$0.isTransient }
        var rest: Path
        if !further.isEmpty, below(4) == 0 {
            let next = further[below(further.count)]
            names.append(next.name)
            rest = path(next.destination, to: 0)
        } else {
            rest = below(4) == 0 ? Path(names: []) : path(toMany.destination, to: 1)
        }
        rest.names.insert(contentsOf: names, at: 0)
        return rest
    }

    // MARK: Comparisons

    private mutating func comparison(of path: Path) -> PredicateComparison {
        let left: FetchExpression = path.names.isEmpty ? .evaluatedObject : .keyPath(path.names)
        guard let attribute = path.attribute else { return objectComparison(left) }
        let isText = attribute.type == .string
        switch below(isText ? 12 : 8) {
        case 0: return PredicateComparison(left, .in, list(attribute))
        case 1:
            return PredicateComparison(
                left, .between, .list([constant(attribute), constant(attribute)]))
        case 2: return PredicateComparison(left, anyOrder(), .keyPath(sibling(of: attribute)))
        case 8...11: return textComparison(left, attribute)
        default:
            let options: PredicateComparison.Options = isText && below(3) == 0 ? anyOptions() : []
            return PredicateComparison(left, anyOrder(), constant(attribute), options: options)
        }
    }

    private mutating func objectComparison(_ left: FetchExpression) -> PredicateComparison {
        let id: FetchExpression =
            ids.isEmpty || below(3) == 0
            ? .constant(.null) : .constant(.objectID(ids[below(ids.count)]))
        if below(3) == 0 {
            let some = (0..<below(4)).map { _ in
                ids.isEmpty
                    ? FetchExpression.constant(.null)
                    : .constant(.objectID(ids[below(ids.count)]))
            }
            return PredicateComparison(left, .in, .list(some + (below(4) == 0 ? [id] : [])))
        }
        return PredicateComparison(left, below(2) == 0 ? .equal : .notEqual, id)
    }

    private mutating func textComparison(
        _ left: FetchExpression, _ attribute: Attribute
    ) -> PredicateComparison {
        let operators: [PredicateComparison.Operator] = [
            .beginsWith, .endsWith, .contains, .like, .matches,
        ]
        let word = operators[below(operators.count)]
        var text = ""
        if case .string(let sample) = sample(attribute) { text = sample }
        let scalars = Array(text.unicodeScalars)
        let start = below(scalars.count + 1)
        let end = start + below(min(4, scalars.count - start) + 1)
        var piece = String(String.UnicodeScalarView(scalars[start..<end]))
        if word == .like { piece = ["*\(piece)*", "?\(piece)*", "\(piece)"][below(3)] }
        if word == .matches { piece = ".*" + NSRegularExpression.escapedPattern(for: piece) + ".*" }
        if below(8) == 0 { return PredicateComparison(left, word, .constant(.null)) }
        return PredicateComparison(left, word, .constant(.string(piece)), options: anyOptions())
    }

    /// Returns a comparison with `ANY`, `ALL` or `NONE`, or a test for membership in the values at a
    /// path.
    private mutating func quantified() -> PredicateComparison {
        guard let path = toManyPath() else { return comparison(of: path(entity, to: 1)) }
        var result = comparison(of: path)
        if below(5) == 0, let attribute = path.attribute {
            return PredicateComparison(constant(attribute), .in, .keyPath(path.names))
        }
        result.modifier = [.any, .all, .none][below(3)]
        return result
    }

    private mutating func summary() -> PredicateComparison {
        guard let path = toManyPath() else { return comparison(of: path(entity, to: 1)) }
        if below(4) == 0 {
            let toMany = entity.relationships.filter { $0.isToMany && !$0.isTransient }
            guard let relationship = toMany.first else {
                return comparison(of: self.path(entity, to: 1))
            }
            var inner = PredicateGenerator(
                seed: random.next(), entity: relationship.destination, samples: samples, ids: ids)
            let condition = inner.comparison(of: inner.path(relationship.destination, to: 1))
            let member: FetchExpression =
                if case .keyPath(let names) = condition.left {
                    .keyPathOf(.variable("m"), names)
                } else { .variable("m") }
            var aboutMember = condition
            aboutMember.left = member
            return PredicateComparison(
                .keyPathOf(
                    .subquery(
                        collection: .keyPath([relationship.name]), variable: "m",
                        predicate: .comparison(aboutMember)),
                    ["@count"]),
                anyOrder(), .constant(.integer(Int64(below(4)))))
        }
        let functions = PredicateFunction.allCases.filter { $0.arity == nil }
        let function = functions[below(functions.count)]
        let right: FetchExpression =
            function == .count || path.attribute == nil
            ? .constant(.integer(Int64(below(4))))
            : constant(path.attribute ?? entity.attributes[0])
        // Both spellings are generated: `tags.@max.name` and `max:(tags.name)`.
        let name = function == .average ? "@avg" : "@\(function.rawValue.dropLast())"
        let left: FetchExpression =
            below(2) == 0
            ? .keyPath(path.names + [name])
            : .function(function.rawValue, [.keyPath(path.names)])
        return PredicateComparison(left, anyOrder(), right)
    }

    /// Returns a comparison of a function's result.
    private mutating func arithmetic() -> PredicateComparison {
        let kind: PredicateFunction.ArgumentKind = below(3) == 0 ? .text : .number
        let functions = PredicateFunction.allCases.filter { $0.argumentKind == kind }
        let function = functions[below(functions.count)]
        switch kind {
        case .text: return comparison(ofTextBy: function)
        case .number: return comparison(ofNumbersBy: function)
        }
    }

    private mutating func comparison(ofTextBy function: PredicateFunction) -> PredicateComparison {
        let texts = entity.attributes.filter { $0.type == .string && !$0.isTransient }
        guard let text = texts.first else { return comparison(of: path(entity, to: 1)) }
        let right: FetchExpression =
            function == .length
            ? .constant(.integer(Int64(below(12))))
            : .function(function.rawValue, [constant(text)])
        return PredicateComparison(
            .function(function.rawValue, [.keyPath([text.name])]), anyOrder(), right)
    }

    private mutating func comparison(
        ofNumbersBy function: PredicateFunction
    ) -> PredicateComparison {
        let numbers = entity.attributes.filter { $0.type.isNumeric || $0.type == .date }
        guard !numbers.isEmpty else { return comparison(of: path(entity, to: 1)) }
        let (a, b) = (numbers[below(numbers.count)], numbers[below(numbers.count)])
        if function == .now {
            return PredicateComparison(
                .keyPath([a.name]), anyOrder(), .function(function.rawValue, []))
        }
        // Divisors for which the quotient is nil, or overflows for the least integer.
        let special: [Value] = [.integer(0), .integer(-1), .integer(.min)]
        let second: FetchExpression =
            switch below(5) {
            case 0: .constant(special[below(special.count)])
            case 1, 2: .keyPath([b.name])
            default: constant(b)
            }
        let all: [FetchExpression] = [.keyPath([a.name]), second, constant(a)]
        let arguments = all.prefix(function.arity ?? 1 + below(all.count))
        return PredicateComparison(
            .function(function.rawValue, Array(arguments)), anyOrder(), constant(b))
    }

    // MARK: Parts

    private mutating func anyOrder() -> PredicateComparison.Operator {
        let all: [PredicateComparison.Operator] = [
            .equal, .notEqual, .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual,
        ]
        return all[below(all.count)]
    }

    private mutating func anyOptions() -> PredicateComparison.Options {
        PredicateComparison.Options(rawValue: UInt8(below(4)))
    }

    private mutating func list(_ attribute: Attribute) -> FetchExpression {
        .list((0..<below(5)).map { _ in constant(attribute) })
    }

    /// Returns an attribute of the entity that can be compared with another one.
    private mutating func sibling(of attribute: Attribute) -> [String] {
        let all = entity.attributes.filter {
            !$0.isTransient && ($0.type.isNumeric == attribute.type.isNumeric)
        }
        return [all.isEmpty ? attribute.name : all[below(all.count)].name]
    }

    private mutating func constant(_ attribute: Attribute) -> FetchExpression {
        .constant(below(10) == 0 ? .null : nudged(sample(attribute)))
    }

    private mutating func sample(_ attribute: Attribute) -> Value {
        guard let known = samples[Self.sampleKey(attribute)], !known.isEmpty else {
            return Self.plain(attribute.type)
        }
        let value = known[below(known.count)]
        return value.isNull ? Self.plain(attribute.type) : value
    }

    /// Returns a value of the type.
    private static func plain(_ type: AttributeType) -> Value {
        switch type {
        case .boolean: .boolean(true)
        case .integer16, .integer32, .integer64: .integer(1)
        case .double: .double(0.5)
        case .float: .float(0.5)
        case .decimal: .decimal(1)
        case .date: .date(Date(timeIntervalSinceReferenceDate: 0))
        case .uuid: .uuid(UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
        case .uri: URL(string: "https://example.org").map(Value.uri) ?? .null
        case .string: .string("a")
        case .transformable: .transformable(Data())
        default: .binary(Data())
        }
    }

    private mutating func nudged(_ value: Value) -> Value {
        guard below(3) == 0 else { return value }
        switch value {
        case .integer(let it): return below(2) == 0 ? .integer(it &+ 1) : .double(Double(it) + 0.5)
        case .double(let it): return .double(it + 1)
        case .float(let it): return .float(it.nextUp)
        case .date(let it): return .date(it.addingTimeInterval(0.5))
        case .decimal(let it): return .decimal(it + Decimal(1) / 3)
        case .string(let it): return .string(below(2) == 0 ? it.uppercased() : it + "\u{301}")
        default: return value
        }
    }

    private mutating func below(_ bound: Int) -> Int {
        Int(random.next() % UInt64(max(1, bound)))
    }
}

extension PredicateFunction {
    fileprivate enum ArgumentKind {
        case text, number
    }

    /// The kind of arguments that the generator passes to the function. The function `now` has no
    /// arguments, and its result is compared with a number.
    fileprivate var argumentKind: ArgumentKind {
        switch self {
        case .lowercase, .uppercase, .canonical, .length: .text
        case .add, .subtract, .multiply, .divide, .modulus, .absolute, .ceiling, .floor, .truncate,
            .squareRoot, .naturalLogarithm, .logarithm, .exponential, .power, .now, .sum, .count,
            .minimum, .maximum, .average:
            .number
        }
    }
}
