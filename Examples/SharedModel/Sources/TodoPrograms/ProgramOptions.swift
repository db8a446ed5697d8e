import Foundation
import SwiftData
import TodoModels

/// The flags that both programs have, and the words after them.
public struct ProgramOptions {
    /// The name of the engine.
    public var engine = "SQLite"
    /// The file of the store.
    public var store = URL(filePath: "Todo.store")
    /// The arguments that are no flags.
    public private(set) var words: [String] = []

    /// Reads a program's arguments.
    ///
    /// - Throws: ``ProgramFailure`` for a flag without a value.
    public init(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) throws {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            guard argument.hasPrefix("--") else {
                words.append(argument)
                continue
            }
            guard let value = rest.popFirst() else {
                throw ProgramFailure("\(argument) needs a value")
            }
            switch argument {
            case "--engine": engine = value
            case "--store": store = URL(filePath: value)
            default: throw ProgramFailure("\(argument) is no flag; there are --engine and --store")
            }
        }
    }

    /// Opens the store.
    ///
    /// - Throws: The reason why it cannot be opened.
    public func todoStore() throws -> TodoStore {
        let configuration = ModelConfiguration(url: store, storeType: engine)
        return TodoStore(
            modelContainer: try ModelContainer(for: TodoList.self, configurations: configuration))
    }
}
