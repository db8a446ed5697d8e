import CairnTestSupport
import Foundation
import Testing

@testable import CairnModel

@Suite struct `Predicate text` {
    @Test func `reads back as the same predicate, for random ones`() throws {
        let seed = SeededRandom.seed(of: "random predicates as text")
        var maker = RandomPredicates(seed: seed)

        for _ in 0..<2_000 {
            let predicate = maker.predicate(depth: 4)
            let text = predicate.description
            let read = try FetchPredicate(format: text)
            try #require(read == predicate, "seed \(seed): \(text)")
        }
    }

    @Test func `is the coded form of predicates, for random ones`() throws {
        let seed = SeededRandom.seed(of: "random coded predicates")
        var maker = RandomPredicates(seed: seed)

        for _ in 0..<500 {
            let predicate = maker.predicate(depth: 4)
            if predicate.description.contains("NSManagedObjectID") { continue }
            let data = try JSONEncoder().encode([predicate])
            let read = try JSONDecoder().decode([FetchPredicate].self, from: data)
            try #require(read == [predicate], "seed \(seed): \(predicate)")
        }
    }

    @Test func `of empty conjunctions has the same meaning when it was coded`() throws {
        let data = try JSONEncoder().encode(FetchPredicate.not(.and([])))

        #expect(
            try JSONDecoder().decode(FetchPredicate.self, from: data) == .not(.constant(true)))
    }

    @Test func `of objects, composites and too deep predicates is refused when it is coded`() throws
    {
        let id = ObjectID(
            store: StoreNumber(rawValue: 1), rootEntity: EntityNumber(1), entity: EntityNumber(1),
            key: 7)
        let owner = FetchPredicate.comparison(
            PredicateComparison(.keyPath(["owner"]), .equal, .constant(.objectID(id))))
        let size = FetchPredicate.comparison(
            PredicateComparison(.keyPath(["size"]), .equal, .constant(.composite(["x": 1]))))
        let deep = (0..<300).reduce(FetchPredicate.constant(true)) { part, _ in .not(part) }

        for predicate in [owner, .not(owner), size, deep] {
            #expect(throws: EncodingError.self) { try JSONEncoder().encode(predicate) }
        }
        for text in ["\(owner)", "name ==", "", "\(deep)"] {
            let data = try JSONEncoder().encode([text])
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode([FetchPredicate].self, from: data)
            }
        }
    }

    @Test func `classifies ASCII as Unicode's tables do`() throws {
        for scalar in (UInt8.min..<128).map(Unicode.Scalar.init) {
            let properties = scalar.properties
            let begins = scalar == "_" || properties.isAlphabetic
            let continues = begins || ("0"..."9").contains(scalar) || properties.isXIDContinue
            #expect("\(scalar)".isPredicateName == begins)
            #expect("a\(scalar)".isPredicateName == continues)
            if properties.isWhitespace {
                #expect(throws: Never.self) { try FetchPredicate(format: "a\(scalar)==\(scalar)1") }
            }
        }
    }

    @Test func `never traps on random bytes`() {
        let seed = SeededRandom.seed(of: "random bytes as predicates")
        var random = SeededRandom(seed: seed)
        var failureCount = 0

        for _ in 0..<10_000 {
            let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            failureCount += Self.failsCleanly(String(decoding: bytes, as: UTF8.self)) ? 1 : 0
        }

        #expect(failureCount > 9_000, "seed \(seed)")
    }

    @Test func `never traps on valid predicates with changed letters`() {
        let seed = SeededRandom.seed(of: "predicates with changed letters")
        var random = SeededRandom(seed: seed)
        let letters = Array("()[]{}'\"\\%$@#.,:=<>!&|+-*/ aZ09_é\u{301}😀".unicodeScalars)
        var maker = RandomPredicates(seed: seed)
        var failureCount = 0

        for _ in 0..<10_000 {
            var scalars = Array(maker.predicate(depth: 3).description.unicodeScalars)
            for _ in 0..<Int.random(in: 1...4, using: &random) where !scalars.isEmpty {
                let index = Int.random(in: 0..<scalars.count, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: scalars.remove(at: index)
                case 1: scalars[index] = letters.randomElement(using: &random) ?? "x"
                default: scalars.insert(letters.randomElement(using: &random) ?? "x", at: index)
                }
            }
            var text = String.UnicodeScalarView()
            text.append(contentsOf: scalars)
            failureCount += Self.failsCleanly(String(text)) ? 1 : 0
        }

        #expect((1..<10_000).contains(failureCount), "seed \(seed)")
    }

    /// Returns whether reading throws an error that has a description and, if it is a syntax error, a
    /// position within the text.
    private static func failsCleanly(_ text: String) -> Bool {
        do {
            let predicate = try FetchPredicate(format: text)
            return predicate.description.isEmpty
        } catch {
            if case .syntax(_, let position, _, _) = error {
                return (0...text.count).contains(position) && !error.description.isEmpty
            }
            return !error.description.isEmpty
        }
    }
}

/// Creates predicates of the forms that predicate text can express.
struct RandomPredicates {
    private var random: SeededRandom
    private let names: [String]

    init(
        seed: UInt64,
        names: [String] = ["name", "in", "SELF", "älter", "a1", "true", "_x", "first", "any"]
    ) {
        random = SeededRandom(seed: seed)
        self.names = names
    }

    private mutating func pick(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }

    mutating func predicate(depth: Int) -> FetchPredicate {
        switch depth > 0 ? pick(6) : 0 {
        case 0, 1: comparison(depth: depth)
        case 2: .and((0..<pick(3) + 2).map { _ in predicate(depth: depth - 1) })
        case 3: .or((0..<pick(3) + 2).map { _ in predicate(depth: depth - 1) })
        case 4: .not(predicate(depth: depth - 1))
        default: .constant(pick(2) == 0)
        }
    }

    private mutating func comparison(depth: Int) -> FetchPredicate {
        let operators = PredicateComparison.Operator.allCases
        let modifiers: [PredicateComparison.Modifier] = [.direct, .any, .all, .none]
        return .comparison(
            PredicateComparison(
                expression(depth: depth), operators[pick(operators.count)],
                expression(depth: depth), modifier: modifiers[pick(4)],
                options: .init(rawValue: UInt8(pick(8)))))
    }

    private mutating func expression(depth: Int) -> FetchExpression {
        switch depth > 0 ? pick(11) : pick(4) {
        case 0, 1: return .constant(value())
        case 2: return .keyPath((0...pick(3)).map { _ in name() })
        case 3: return pick(2) == 0 ? .variable(name()) : .evaluatedObject
        case 4: return .list((0..<pick(4)).map { _ in expression(depth: depth - 1) })
        case 5: return .keyPathOf(.variable(name()), [name(), "@count"])
        case 6:
            return .subquery(
                collection: .keyPath([name()]), variable: name(),
                predicate: predicate(depth: depth - 1))
        case 7:
            return .conditional(
                predicate(depth: depth - 1), then: expression(depth: depth - 1),
                otherwise: expression(depth: depth - 1))
        case 8:
            return .function("CAST", [.keyPath([name()]), .constant("NSDate")])
        default:
            let functions = PredicateFunction.allCases
            let function = functions[pick(functions.count)]
            return .function(
                function.rawValue,
                (0..<(function.arity ?? pick(4))).map { _ in expression(depth: depth - 1) })
        }
    }

    private mutating func name() -> String { names[pick(names.count)] }

    private mutating func value() -> Value {
        switch pick(14) {
        case 0: .null
        case 1: .boolean(pick(2) == 0)
        case 2: .integer([0, 1, -1, .min, .max][pick(5)])
        case 3: .double([0, -0.0, 1e300, -1e-7, .nan, -.infinity, .leastNonzeroMagnitude][pick(7)])
        case 4: .float([0, 1.5, .infinity, -3e-8][pick(4)])
        case 5:
            .decimal(
                Decimal(string: ["0", "-1.50", "1e-100", "12345678901234567890123"][pick(4)]) ?? 0)
        case 6: .date(Date(timeIntervalSinceReferenceDate: [0, 1.25, -1e12][pick(3)]))
        case 7: .uuid(UUID())
        case 8: .binary(Data([0, 255, UInt8(pick(256))]))
        case 9: .transformable(Data((0..<pick(5)).map(UInt8.init)))
        case 10: .uri(URL(fileURLWithPath: "/tmp/a b"))
        case 11:
            .objectID(
                ObjectID(
                    store: StoreNumber(rawValue: .max), rootEntity: EntityNumber(1),
                    entity: EntityNumber(2), key: .min))
        default:
            .string(["", "it's \"x\"\\", "\r\n\t\0" + "1", "\u{301}e😀", "%@ %K", "#a"][pick(6)])
        }
    }
}
