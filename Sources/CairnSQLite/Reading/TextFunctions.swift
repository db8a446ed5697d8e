import CairnCSQLite
import CairnEngineKit
import CairnModel
import CairnStore
import Foundation

/// The SQL functions that translated predicates and sort terms call.
///
/// They use the evaluator's own routines, so that both give the same results. They return NULL for
/// NULL, and for values of a type that the function does not take.
enum TextFunctions {
    private typealias Function =
        @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

    /// Registers the functions on a connection.
    ///
    /// - Throws: `.engineFailure`.
    static func register(on connection: SQLiteConnection) throws(StoreError) {
        for (name, count, function) in functions {
            // Direct only: the schema of a file may not call them.
            let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY
            let code = sqlite3_create_function_v2(
                connection.handle, name, count, flags, connection.fetchWatch.userData, function,
                nil,
                nil, nil)
            try connection.check(code, "register \(name)")
        }
    }

    private static let functions: [(String, Int32, Function)] = [
        ("cairn_float", 1, float), ("cairn_fold", 2, fold), ("cairn_like", 3, like),
        ("cairn_matches", 3, matches), ("cairn_begins", 2, begins), ("cairn_ends", 2, ends),
        ("cairn_contains", 2, contains),
        ("cairn_order", 1, order), ("cairn_lowercase", 1, lowercase),
        ("cairn_uppercase", 1, uppercase), ("cairn_canonical", 1, canonical),
        ("cairn_length", 1, length),
    ]

    /// Returns the nearest float, which is also the value that reading the row gives.
    private static let float: Function = { context, _, arguments in
        let argument = arguments?[0]
        switch sqlite3_value_type(argument) {
        case SQLITE_INTEGER, SQLITE_FLOAT:
            sqlite3_result_double(context, Double(Float(sqlite3_value_double(argument))))
        default: sqlite3_result_null(context)
        }
    }

    private static let fold: Function = { context, _, arguments in
        guard let bytes = bytes(arguments?[0]) else { return sqlite3_result_null(context) }
        let options = options(arguments?[1])
        let wasGiven: Void? = PredicateText.withFoldedASCII(bytes, options) { folded in
            // If there is nothing to fold, return the argument itself, which copies nothing.
            if folded.baseAddress == bytes.baseAddress {
                sqlite3_result_value(context, arguments?[0])
            } else {
                give(folded.assumingMemoryBound(to: UInt8.self), to: context)
            }
        }
        if wasGiven != nil { return }
        give(PredicateText.folded(String(decoding: bytes, as: UTF8.self), options), to: context)
    }

    /// Returns bytes whose order is the standard order of strings.
    private static let order: Function = { context, _, arguments in
        guard let text = text(arguments?[0]) else { return sqlite3_result_null(context) }
        let bytes = StandardOrder.bytes(of: text, .standard)
        sqlite3_result_blob64(context, bytes, UInt64(bytes.count), cairn_sqlite_transient())
    }

    private static let begins: Function = { compare($0, .beginsWith, $2) }
    private static let ends: Function = { compare($0, .endsWith, $2) }
    /// Used instead of SQLite's `instr`, whose time is proportional to the product of both lengths.
    private static let contains: Function = { compare($0, .contains, $2) }

    private static func compare(
        _ context: OpaquePointer?, _ word: PredicateComparison.Operator,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let whole = bytes(arguments?[0]), let part = bytes(arguments?[1]) else {
            return sqlite3_result_null(context)
        }
        sqlite3_result_int(context, PredicateText.compare(whole, word, part) ? 1 : 0)
    }

    // MARK: Functions of predicates

    private static let lowercase: Function = { call(.lowercase, $0, $2) }
    private static let uppercase: Function = { call(.uppercase, $0, $2) }
    private static let canonical: Function = { call(.canonical, $0, $2) }
    private static let length: Function = { call(.length, $0, $2) }

    private static func call(
        _ function: PredicateFunction, _ context: OpaquePointer?,
        _ arguments: UnsafeMutablePointer<OpaquePointer?>?
    ) {
        guard let text = text(arguments?[0]) else { return sqlite3_result_null(context) }
        switch function.result(of: [.string(text)], now: .distantPast) {
        case .string(let result): give(result, to: context)
        case .integer(let result): sqlite3_result_int64(context, result)
        default: sqlite3_result_null(context)
        }
    }

    // MARK: Patterns

    /// A compiled pattern, kept for the statement.
    private final class Pattern {
        typealias Test = (UnsafeRawBufferPointer) throws(FetchPredicateError) -> Bool
        let matches: Test

        init(_ matches: @escaping Test) { self.matches = matches }
    }

    private static let like: Function = { context, _, arguments in
        test(context, arguments) { pattern, options in
            let pattern = LikePattern(pattern, options)
            if options.isEmpty { return Pattern(pattern.matches(folded:)) }
            return Pattern { text throws(FetchPredicateError) in
                let answer = PredicateText.withFoldedASCII(text, options) { folded in
                    Result { () throws(FetchPredicateError) in try pattern.matches(folded: folded) }
                }
                if let answer { return try answer.get() }
                return try pattern.matches(String(decoding: text, as: UTF8.self))
            }
        }
    }

    private static let matches: Function = { context, _, arguments in
        test(context, arguments) { pattern, options in
            (try? TextExpression(pattern, options)).map { Pattern($0.matches(utf8:)) }
        }
    }

    /// Tests the third argument with the first one, a pattern, compiled with the options in the
    /// second.
    private static func test(
        _ context: OpaquePointer?, _ arguments: UnsafeMutablePointer<OpaquePointer?>?,
        _ compile: (String, PredicateComparison.Options) -> Pattern?
    ) {
        guard let text = bytes(arguments?[2]) else { return sqlite3_result_null(context) }
        if let known = sqlite3_get_auxdata(context, 0) {
            return give(
                Unmanaged<Pattern>.fromOpaque(known).takeUnretainedValue(), testing: text,
                to: context)
        }
        guard let source = self.text(arguments?[0]),
            let pattern = compile(source, options(arguments?[1]))
        else {
            return sqlite3_result_error(context, "the pattern is not valid", -1)
        }
        give(pattern, testing: text, to: context)
        // SQLite now owns the pattern, and may release it immediately.
        sqlite3_set_auxdata(context, 0, Unmanaged.passRetained(pattern).toOpaque()) {
            if let pattern = $0 { Unmanaged<Pattern>.fromOpaque(pattern).release() }
        }
    }

    private static func give(
        _ pattern: Pattern, testing text: UnsafeRawBufferPointer, to context: OpaquePointer?
    ) {
        guard let watch = sqlite3_user_data(context) else {
            return sqlite3_result_error(context, "the connection has no watch", -1)
        }
        let answer = FetchWatch.of(watch).answer { () throws(FetchPredicateError) in
            try pattern.matches(text)
        }
        guard let answer else { return sqlite3_result_error(context, "the fetch was ended", -1) }
        sqlite3_result_int(context, answer ? 1 : 0)
    }

    // MARK: Values

    /// Returns the bytes of a string, or `nil` for a value of another type.
    private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer? {
        guard sqlite3_value_type(value) == SQLITE_TEXT, let start = sqlite3_value_text(value) else {
            return nil
        }
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    private static func text(_ value: OpaquePointer?) -> String? {
        bytes(value).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func options(_ value: OpaquePointer?) -> PredicateComparison.Options {
        PredicateComparison.Options(
            rawValue: UInt8(truncatingIfNeeded: sqlite3_value_int(value)))
    }

    private static func give(_ text: String, to context: OpaquePointer?) {
        var text = text
        text.withUTF8 { give($0, to: context) }
    }

    private static func give(_ utf8: UnsafeBufferPointer<UInt8>, to context: OpaquePointer?) {
        guard let start = UnsafeRawPointer(utf8.baseAddress) else {
            return sqlite3_result_text(context, "", 0, cairn_sqlite_transient())
        }
        sqlite3_result_text64(
            context, start.assumingMemoryBound(to: CChar.self), UInt64(utf8.count),
            cairn_sqlite_transient(), UInt8(SQLITE_UTF8))
    }
}
