import CairnModel
import Foundation

/// Compiles a bound predicate into closures that test a source's objects.
///
/// ``CairnModel/ValueTest`` defines the meaning of comparisons. The compiler only follows paths and
/// combines results.
struct PredicateCompiler<Source: EvaluationSource> {
    typealias Failure = Source.Failure
    typealias Context = EvaluationContext<Source>
    typealias Test = (Source.Object, Context) throws(Failure) -> Bool
    typealias Reader = (Source.Object, Context) throws(Failure) -> Value
    typealias ListReader = (Source.Object, Context) throws(Failure) -> [Value]

    let source: Source
    /// The value of `now` for the whole fetch.
    let now: Date

    func test(_ predicate: BoundPredicate) throws(FetchPredicateError) -> Test {
        switch predicate {
        case .constant(let flag): return { (_, _) throws(Failure) in flag }
        case .comparison(let comparison): return try test(comparison)
        case .not(let part):
            let test = try test(part)
            return { (object, context) throws(Failure) in !(try test(object, context)) }
        case .and(let parts): return try compound(parts, stop: false)
        case .or(let parts): return try compound(parts, stop: true)
        }
    }

    /// Returns a test that evaluates the parts in order, until one returns `stop`.
    private func compound(
        _ parts: [BoundPredicate], stop: Bool
    ) throws(FetchPredicateError) -> Test {
        var tests: [Test] = []
        for part in parts { tests.append(try test(part)) }
        if tests.count == 2 {
            let (first, second) = (tests[0], tests[1])
            return { (object, context) throws(Failure) in
                if try first(object, context) == stop { return stop }
                return try second(object, context)
            }
        }
        return { [tests] (object, context) throws(Failure) in
            for test in tests where try test(object, context) == stop { return stop }
            return !stop
        }
    }

    // MARK: Comparisons

    private func test(_ comparison: BoundComparison) throws(FetchPredicateError) -> Test {
        let check = try check(comparison)
        if comparison.modifier == .direct {
            let left = try reader(comparison.left)
            return { (object, context) throws(Failure) in
                try check(object, context, [try left(object, context)], .any)
            }
        }
        let left = try listReader(comparison.left)
        let modifier = comparison.modifier
        return { (object, context) throws(Failure) in
            try check(object, context, try left(object, context), modifier)
        }
    }

    /// Compares each of the left values. The modifier determines how many of them must pass.
    private typealias Check = (
        Source.Object, Context, [Value], PredicateComparison.Modifier
    ) throws(Failure) -> Bool

    private func check(_ comparison: BoundComparison) throws(FetchPredicateError) -> Check {
        let (word, options) = (comparison.operator, comparison.options)
        switch comparison.right {
        case .constant(let value):
            let test = try ValueTest(word, options, right: value)
            return { (_, context, values, modifier) throws(Failure) in
                try context.holds(modifier, values, test)
            }
        case .list(let items):
            if let constants = items.constants {
                let test = ValueTest(word, options, list: constants)
                return { (_, context, values, modifier) throws(Failure) in
                    try context.holds(modifier, values, test)
                }
            }
            let elements = try listReader(comparison.right)
            return { (object, context, values, modifier) throws(Failure) in
                let list = try elements(object, context)
                return try context.holds(
                    modifier, values, ValueTest(word, options, searching: list))
            }
        case .path(let path) where path.isCollection:
            let elements = try listReader(comparison.right)
            return { (object, context, values, modifier) throws(Failure) in
                let list = try elements(object, context)
                return try context.holds(
                    modifier, values, ValueTest(word, options, searching: list))
            }
        default:
            let right = try reader(comparison.right)
            return { (object, context, values, modifier) throws(Failure) in
                let value = try right(object, context)
                let test: ValueTest
                do throws(FetchPredicateError) {
                    test = try ValueTest(word, options, right: value)
                } catch {
                    throw context.source.failure(for: error)
                }
                return try context.holds(modifier, values, test)
            }
        }
    }
}

extension PredicateComparison.Modifier {
    /// Returns whether as many values pass the test as the modifier requires.
    func holds(_ values: [Value], _ test: ValueTest) throws(FetchPredicateError) -> Bool {
        let decidingAnswer = self != .all
        for value in values where try test.holds(value) == decidingAnswer {
            return self == .direct || self == .any
        }
        return self == .all || self == .none
    }
}

extension PredicateCompiler {
    /// Returns a reader of an expression with a single value.
    func reader(_ expression: BoundExpression) throws(FetchPredicateError) -> Reader {
        switch expression {
        case .constant(let value): return { (_, _) throws(Failure) in value }
        case .path(let path): return reader(path)
        case .list:
            let list = try listReader(expression)
            return { (object, context) throws(Failure) in
                try list(object, context).first ?? .null
            }
        case .function(let function, let arguments):
            let list = try listReader(.list(arguments))
            let now = now
            return { (object, context) throws(Failure) in
                function.result(of: try list(object, context), now: now)
            }
        case .call(let function, let arguments):
            let list = try listReader(.list(arguments))
            return { (object, context) throws(Failure) in
                function.result(of: try list(object, context))
            }
        case .subqueryCount(let subquery): return try counter(subquery)
        case .conditional(let condition, let then, let otherwise):
            let test = try test(condition)
            let (first, second) = (try reader(then), try reader(otherwise))
            return { (object, context) throws(Failure) in
                try test(object, context)
                    ? try first(object, context) : try second(object, context)
            }
        }
    }

    /// Returns a reader of an expression with several values.
    func listReader(_ expression: BoundExpression) throws(FetchPredicateError) -> ListReader {
        switch expression {
        case .path(let path) where path.isCollection: return collectionReader(path)
        case .list(let items):
            var readers: [Reader] = []
            for item in items { readers.append(try reader(item)) }
            return { [readers] (object, context) throws(Failure) in
                var values: [Value] = []
                values.reserveCapacity(readers.count)
                for reader in readers { values.append(try reader(object, context)) }
                return values
            }
        default:
            let reader = try reader(expression)
            return { (object, context) throws(Failure) in [try reader(object, context)] }
        }
    }

    private func counter(_ subquery: BoundSubquery) throws(FetchPredicateError) -> Reader {
        let test = try test(subquery.predicate)
        let walk = WalkReader<Source>(subquery.collection)
        let variable = subquery.variable
        return { (object, context) throws(Failure) in
            var count: Int64 = 0
            let outer = context.variables[variable]
            defer { context.variables[variable] = outer }
            for member in try walk.objects(from: object, context) {
                guard let member else { continue }
                context.variables[variable] = member
                if try test(object, context) { count += 1 }
            }
            return .integer(count)
        }
    }

    // MARK: Paths

    /// Returns a reader of a path. If the path has a collection operator, the reader applies it to
    /// all values that the path reaches.
    func reader(_ path: BoundPath) -> Reader {
        if let summary = path.collectionOperator {
            var plain = path
            plain.collectionOperator = nil
            let values = collectionReader(plain)
            return { (object, context) throws(Failure) in
                summary.result(of: try values(object, context))
            }
        }
        if path.start == .evaluatedObject, path.relationships.isEmpty,
            case .attribute(let attribute) = path.leaf
        {
            return source.reader(of: attribute)
        }
        let values = collectionReader(path)
        return { (object, context) throws(Failure) in
            try values(object, context).first ?? .null
        }
    }

    private func collectionReader(_ path: BoundPath) -> ListReader {
        let walk = WalkReader<Source>(path)
        if case .referenced(let reference, let rest) = path.leaf {
            return collectionReader(rest, over: reference, from: walk)
        }
        guard let leaf = leafReader(path.leaf) else {
            return { (object, context) throws(Failure) in
                try walk.ids(from: object, context)
            }
        }
        return { (object, context) throws(Failure) in
            var values: [Value] = []
            for reached in try walk.objects(from: object, context) {
                if let reached {
                    values.append(try leaf(reached, context))
                } else {
                    values.append(.null)
                }
            }
            return values
        }
    }

    /// Returns a reader of the rest of a path, from the objects to which a reference leads.
    private func collectionReader(
        _ rest: BoundPath, over reference: Attribute, from walk: WalkReader<Source>
    ) -> ListReader {
        let key = source.reader(of: reference)
        let values = collectionReader(rest)
        let valuesOfNothing: [Value] = rest.isToMany ? [] : [.null]
        return { (object, context) throws(Failure) in
            var all: [Value] = []
            for reached in try walk.objects(from: object, context) {
                if let reached,
                    let target = try context.source.object(
                        referredToBy: reference, key: try key(reached, context))
                {
                    all += try values(target, context)
                } else {
                    all += valuesOfNothing
                }
            }
            return all
        }
    }

    /// Returns `nil` if the leaf is the object itself.
    private func leafReader(_ leaf: BoundPath.Leaf) -> Reader? {
        switch leaf {
        case .object, .referenced: return nil
        case .attribute(let attribute): return source.reader(of: attribute)
        case .element(let attribute, let names, _):
            let reader = source.reader(of: attribute)
            return { (object, context) throws(Failure) in
                var value = try reader(object, context)
                for name in names {
                    guard case .composite(let elements) = value else { return .null }
                    value = elements[name] ?? .null
                }
                return value
            }
        }
    }
}
