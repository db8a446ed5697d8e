import ArgumentParser
import Cairn
import CairnStore

/// The `cairn store tidy` command, which removes files that killed saves have left.
struct StoreTidyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tidy",
        abstract: "Removes files of large values that no object has, as “store verify” lists them.",
        discussion: """
            Other programs may have the store open. Files that such a program may still read, and files \
            in a folder that another store uses, too, are left.
            """)

    @OptionGroup var arguments: StoreArguments

    func run() throws {
        let tool = try ToolStore(arguments)
        try tool.requireNoPendingSave()
        let store = try tool.engine.open(
            OpenRequest(location: tool.location, model: try tool.model(), createsMissing: false))
        let removed = Result { try (store as? any ExternalDataStore)?.removeUnnamedFiles() ?? [] }
        // Removes the files that no reader needs any more.
        try store.close()
        for file in try removed.get() { try Output.line("removed \(VisibleText.line(file.path))") }
        let left = try tool.open()
        defer { try? left.close() }
        let leftCount = try (left as? any ExternalDataStore)?.unnamedFiles().count ?? 0
        try Output.line(
            "\(Quantity.plainCount(try removed.get().count, "file")) removed, \(leftCount) left")
    }
}
