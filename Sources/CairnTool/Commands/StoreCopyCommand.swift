import ArgumentParser
import Cairn
import CairnStore
import Foundation

/// The `cairn store copy` command, which copies a store of any engine to a store of any engine.
struct StoreCopyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy",
        abstract: "Copies a store to a new one, which may have another type.",
        discussion: """
            Objects keep their keys and versions. The new store gets an identifier of its own. A copy \
            that fails or is interrupted leaves the destination unchanged.
            Example: cairn store copy Trails.sqlite Trails.lmdb --type LMDB
            """)

    @OptionGroup var arguments: StoreArguments

    @Argument(
        help: "The file of the new store, or its URL.", completion: .file(),
        transform: PathArgument.init(argument:))
    var destination: PathArgument

    @Option(help: "The type of the new store, such as SQLite or LMDB.")
    var type: String

    @Flag(help: "Replace the store at the destination, which no program may have open.")
    var replace = false

    @Flag(help: "Copy the history of the saves, too, which the new store continues.")
    var history = false

    @OptionGroup var missingData: MissingDataOption

    @Flag(help: "Leave out values that the model does not explain, instead of failing.")
    var allowUnexplainedValues = false

    func run() throws {
        let location = try destination.locationOfNewStore()
        guard let url = location.url else { return }
        // The copy contains the model, so a derived model is not enough.
        let source = try ToolStore(arguments).open(allowsDerivedModel: false)
        defer { try? source.close() }
        var copier = StoreCopier(
            to: try StoreRegistry.builtIn.engine(ofType: StoreType(rawValue: type)),
            replacing: replace ? try replacedEngine(at: location) : nil)
        copier.copiesHistory = history
        copier.allowsMissingExternalData = missingData.isAllowed
        try reportUnexplainedValues(of: source)
        copier.allowsUnexplainedValues = true
        let interruption = Interruption()
        var line = ProgressLine()
        let result: StoreCopyProgress
        do {
            result = try copier.copy(source, to: url) { progress in
                line.show(progress.objectCount, of: progress.totalObjectCount, "objects")
                return interruption.isRequested ? .cancel : .proceed
            }
        } catch {
            line.end()
            guard error.pathOfMissingData != nil else { throw error }
            throw ToolFailure(
                "\(error) Nothing was copied. To copy such values as nil, pass"
                    + " --allow-missing-external-data.")
        }
        line.end()
        var missing = MissingDataReport()
        for value in result.missingValues { missing.note(value) }
        try Output.line(
            "copied \(Quantity.plainCount(result.objectCount, "object")) to \(destination.shown) (\(type))"
        )
    }

    /// Prints the values that the copy would leave out.
    ///
    /// - Throws: ``ToolFailure`` if there are any, unless they may be left out; `StoreError`.
    private func reportUnexplainedValues(of source: any PersistentStore) throws {
        let found = try (source as? any SelfCheckingStore)?.findUnexplainedValues() ?? []
        for values in found { Output.error("cairn: \(values)") }
        guard !found.isEmpty, !allowUnexplainedValues else { return }
        throw ToolFailure(
            "The store has values that its model does not explain, so nothing was copied. Pass a model"
                + " that has them (--model PATH), or pass --allow-unexplained-values to leave them out."
        )
    }

    /// Returns the engine of the store that the copy replaces. Returns `nil` if there is no file at the
    /// destination.
    private func replacedEngine(at location: StoreLocation) throws -> (any FileStore.Type)? {
        guard let url = location.fileURL else {
            throw ToolFailure("A copy replaces only files. Choose another place for \(location).")
        }
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        if let engine = StoreRegistry.builtIn.engine(recognizing: .file(url)) { return engine }
        throw ToolFailure(
            "\(destination.shown) is not a store of any known type, so it was not replaced.")
    }
}
