import Synchronization

/// A function of the program that predicates and expressions call by its name.
///
/// ```swift
/// try ProgramFunction.register("initial", returning: .string) { values in
///     if case .string(let text) = values.first { .string(String(text.prefix(1))) } else { .null }
/// }
/// let request = try FetchRequest<Book>("Book", where: "initial(title) == %@", "A")
/// ```
///
/// Functions are evaluated in memory, for each row that fulfils the other conditions, and no index finds their
/// results.
public struct ProgramFunction: Sendable, Hashable {
    package let name: String
    package let resultType: AttributeType
    private let body: Body

    private static let registered = Mutex<[String: ProgramFunction]>([:])

    /// Registers a function for the whole process. Registering a name again replaces its function, except in
    /// fetches that have begun.
    ///
    /// - Parameters:
    ///   - name: A name for calls such as `name(a, b)`, or a selector for calls such as
    ///     `FUNCTION(a, "name:with:", b)`.
    ///   - type: The type of the results, which decides what they can be compared with.
    ///   - body: Returns the result for arguments of any number and types. Must return the same result for the same
    ///     arguments, and is called on any thread, by several threads at once. A result that the type cannot
    ///     represent counts as `nil`.
    /// - Throws: `.unsupported` if the name is not a name, or has a meaning already, or if values of the type cannot
    ///   be compared.
    public static func register(
        _ name: String, returning type: AttributeType,
        _ body: @escaping @Sendable ([Value]) -> Value
    ) throws(FetchPredicateError) {
        guard name.isPredicateSelector, !hasMeaning(name) else {
            throw .unsupported(
                expression: "\(name)(…)",
                advice:
                    "Give the function a name of letters, digits and “_” that predicates do not use."
            )
        }
        guard let comparisonClass = ComparisonClass(type),
            ![.object, .composite].contains(comparisonClass)
        else {
            throw .unsupported(
                expression: "\(name)(…) with results of type \(type.sourceName)",
                advice: "A function can return numbers, texts, dates, UUIDs, URIs and bytes.")
        }
        let function = ProgramFunction(name: name, resultType: type, body: Body(body))
        registered.withLock { $0[name] = function }
    }

    /// Returns the function with a name, or `nil` if none is registered.
    static func named(_ name: String) -> ProgramFunction? { registered.withLock { $0[name] } }

    /// The names of all functions, sorted.
    static var names: [String] { registered.withLock { $0.keys.sorted() } }

    private static func hasMeaning(_ name: String) -> Bool {
        let word = name.lowercased()
        return PredicateFunction(rawValue: name) != nil
            || PredicateFunction(rawValue: word + ":") != nil
            || PredicateToken.Keyword(rawValue: word) != nil
            || ["cast", "fetch", "function", "now", "subquery", "ternary"].contains(word)
    }

    /// Returns the result for these arguments, of ``resultType`` or `.null`.
    package func result(of arguments: [Value]) -> Value {
        body.function(arguments).converted(to: resultType) ?? .null
    }

    /// A closure that is equal only to itself.
    private final class Body: Sendable, Hashable {
        let function: @Sendable ([Value]) -> Value

        init(_ function: @escaping @Sendable ([Value]) -> Value) { self.function = function }

        static func == (left: Body, right: Body) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }
}
