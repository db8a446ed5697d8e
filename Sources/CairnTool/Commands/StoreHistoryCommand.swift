import ArgumentParser
import Cairn
import CairnStore
import Dispatch
import Foundation
import Synchronization

/// The `cairn store history` command, which prints what saves changed.
struct StoreHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history", abstract: "Prints what each save changed, when and by whom.",
        discussion: """
            Each transaction ends with its token, from which --after continues. With --json, each \
            transaction is a line.
            Example: cairn store history Trails.sqlite --entity Hut --author editor
            """)

    @OptionGroup var arguments: StoresArguments

    @OptionGroup var choice: TransactionChoice

    @Option(parsing: .unconditional, help: "The maximum number of transactions.")
    var limit: Int?

    func validate() throws {
        guard limit.map({ $0 >= 0 }) ?? true else {
            throw ValidationError("--limit must be 0 or greater.")
        }
    }

    func run() throws {
        let coordinator = try ToolStores(arguments).coordinator(isReadOnly: true)
        let printer = try TransactionPrinter(choice, coordinator.managedObjectModel)
        var (token, rest) = (try choice.token(), limit ?? .max)
        while rest > 0 {
            let page = try coordinator.history(after: token, limit: 1_000)
            guard let last = page.last else { return }
            for transaction in page where rest > 0 {
                if try printer.print(transaction) { rest -= 1 }
            }
            token = last.token
        }
    }
}

/// The `cairn store follow` command, which prints transactions as they are made.
struct StoreFollowCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow",
        abstract:
            "Prints the changes of each save, as programs make them, until it is interrupted.",
        discussion: "Without --after, begins with the next save.")

    @OptionGroup var arguments: StoresArguments

    @OptionGroup var choice: TransactionChoice

    func run() throws {
        let coordinator = try ToolStores(arguments).coordinator(isReadOnly: true)
        let printer = try TransactionPrinter(choice, coordinator.managedObjectModel)
        let token = try choice.token() ?? coordinator.currentPersistentHistoryToken()
        let follower = coordinator.followHistory(after: token)
        let end = DispatchSemaphore(value: 0)
        let failure = Failure()
        let task = Task {
            do {
                for try await transaction in follower { _ = try printer.print(transaction) }
            } catch {
                failure.error.withLock { $0 = error }
            }
            end.signal()
        }
        let interruption = Interruption { task.cancel() }
        end.wait()
        withExtendedLifetime(interruption) {}
        if let error = failure.error.withLock({ $0 }) { throw error }
    }

    /// The error that ended the following.
    private final class Failure: Sendable {
        let error = Mutex<(any Error)?>(nil)
    }
}

/// The `cairn store purge-history` command, which removes old transactions.
struct StorePurgeHistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge-history",
        abstract: "Removes the transactions before a token or a date from the histories of stores.",
        discussion: """
            The transaction of the token stays, and so does the newest one of each store.
            Example: cairn store purge-history Trails.sqlite --before 2026-10-01
            """)

    @OptionGroup var arguments: StoresArguments

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A date (2026-10-01 or 2026-10-01T12:00:00Z), or a token.", valueName: "date"))
    var before: String

    func run() throws {
        let coordinator = try ToolStores(arguments).coordinator(isReadOnly: false)
        if let token = PersistentHistoryToken(toolText: before) {
            try coordinator.deleteHistory(before: token)
        } else if let date = Self.date(before) {
            try coordinator.deleteHistory(before: date)
        } else {
            throw ToolFailure("“\(before)” is neither a date nor a token.")
        }
        let count = try coordinator.history().count
        try Output.line("\(Quantity.plainCount(count, "transaction")) left")
    }

    private static func date(_ text: String) -> Date? {
        let day = try? Date(text, strategy: .iso8601.year().month().day())
        return (try? Date(text, strategy: .iso8601)) ?? day
    }
}

/// The options that choose transactions and changes, and how they are printed.
struct TransactionChoice: ParsableArguments {
    @Option(
        parsing: .unconditional, help: "Begin after this token, which an earlier run printed.")
    var after: String?

    @Option(
        parsing: .unconditional,
        help: "Only changes of this entity and its subentities.")
    var entity: String?

    @Option(parsing: .unconditional, help: "Only saves of this author.")
    var author: String?

    @Flag(help: "Print each transaction as a line of JSON.")
    var json = false

    /// - Throws: ``ToolFailure`` if the text is not a token.
    fileprivate func token() throws -> PersistentHistoryToken? {
        guard let after else { return nil }
        guard let token = PersistentHistoryToken(toolText: after) else {
            throw ToolFailure(
                "“\(after)” is not a token. Pass one that “cairn store history” printed.")
        }
        return token
    }
}

/// Prints the chosen changes of transactions.
private struct TransactionPrinter: Sendable {
    private let model: ManagedObjectModel
    private let numbers: Set<EntityNumber>?
    private let author: String?
    private let json: Bool

    init(_ choice: TransactionChoice, _ model: ManagedObjectModel) throws {
        self.model = model
        author = choice.author
        json = choice.json
        guard let name = choice.entity else {
            numbers = nil
            return
        }
        guard let entity = model.entity(named: name) else {
            throw GraphError.unknownEntity(name, known: model.entities.map(\.name))
        }
        numbers = Set(entity.hierarchy.map(\.number))
    }

    /// Returns whether the transaction was chosen.
    func print(_ transaction: PersistentHistoryTransaction) throws -> Bool {
        if let author, transaction.author != author { return false }
        let changes = transaction.changes.filter { change in
            numbers?.contains(change.changedObjectID.entity) ?? true
        }
        if numbers != nil, changes.isEmpty { return false }
        try Output.line(json ? line(transaction, changes) : text(transaction, changes))
        return true
    }

    private func text(
        _ transaction: PersistentHistoryTransaction, _ changes: [PersistentHistoryChange]
    ) -> String {
        var words = [
            "\(transaction.transactionNumber)", ISO8601Date.description(transaction.timestamp),
            VisibleText.line(transaction.processID),
        ]
        words += transaction.author.map { ["author \(VisibleText.line($0))"] } ?? []
        words += transaction.contextName.map { ["context \(VisibleText.line($0))"] } ?? []
        let lines = changes.map { change in
            let names = change.updatedProperties.sorted().joined(separator: ", ")
            return "    \(change.changeType) \(change.changedObjectID.shortName(in: model))"
                + (names.isEmpty ? "" : ": \(names)")
        }
        return
            ([words.joined(separator: " · ")] + lines + ["    token \(transaction.token.toolText)"])
            .joined(separator: "\n")
    }

    private func line(
        _ transaction: PersistentHistoryTransaction, _ changes: [PersistentHistoryChange]
    ) throws -> String {
        func text(_ text: String?) -> JSONValue { text.map(JSONValue.text) ?? .null }
        let changes = changes.map { change in
            JSONValue.object([
                "object": .text(change.changedObjectID.shortName(in: model)),
                "kind": .text("\(change.changeType)"),
                "properties": .array(change.updatedProperties.sorted().map(JSONValue.text)),
                "tombstone": .object(
                    change.tombstone.mapValues { JSONValue($0, model: model) }),
            ])
        }
        let value = JSONValue.object([
            "number": .integer(transaction.transactionNumber), "store": .text(transaction.storeID),
            "time": JSONValue(.date(transaction.timestamp), model: model),
            "author": text(transaction.author), "context": text(transaction.contextName),
            "process": .text(transaction.processID), "changes": .array(changes),
            "token": .text(transaction.token.toolText),
        ])
        return String(
            decoding: try JSONEncoder.forTool(pretty: false).encode(value), as: UTF8.self)
    }
}

extension PersistentHistoryToken {
    /// The token as one word.
    fileprivate var toolText: String {
        let json = try? JSONEncoder.forTool(pretty: false).encode(self)
        return json?.base64EncodedString() ?? ""
    }

    /// Returns `nil` if the text is not a token.
    fileprivate init?(toolText text: String) {
        guard let json = Data(base64Encoded: text),
            let token = try? JSONDecoder().decode(Self.self, from: json)
        else { return nil }
        self = token
    }
}

extension ToolStores {
    /// Opens the stores in a coordinator.
    ///
    /// - Throws: ``ToolFailure`` if a save over several stores is pending; the errors of ``model()`` and of
    ///   opening a store.
    fileprivate func coordinator(isReadOnly: Bool) throws -> PersistentStoreCoordinator {
        let coordinator = PersistentStoreCoordinator(
            managedObjectModel: try model(), registry: .builtIn)
        for store in members {
            try store.requireNoPendingSave()
            try coordinator.addPersistentStore(
                ofType: store.metadata.type, configurationName: nil, at: store.location.url,
                options: [
                    .readOnly: .boolean(isReadOnly), .createsMissingStore: .boolean(false),
                ])
        }
        return coordinator
    }
}
