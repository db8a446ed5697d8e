import ArgumentParser
import Cairn
import Foundation

/// `cairn store dump`: every object as a JSON line.
struct StoreDumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Prints every object as a line of JSON, the same on every engine.",
        discussion: """
            By root entity and key. Values that are nil and relationships that are empty are left \
            out; dates are seconds since 2001-01-01 UTC, bytes base 64, objects Entity/key.
            """)

    @OptionGroup var arguments: StoreArguments

    @OptionGroup var missingData: MissingDataOption

    func run() throws {
        let store = try ToolStore(arguments).open()
        defer { try? store.close() }
        let snapshot = try store.snapshot()
        defer { snapshot.end() }
        let dump = StoreDump(snapshot: snapshot, layouts: store.request.layouts)
        var pending = Data()
        var missing = MissingDataReport()
        try dump.write(noting: &missing) { line in
            pending.append(line)
            // One system call for many lines.
            if pending.count > 1 << 16 {
                try Output.write(pending)
                pending.removeAll(keepingCapacity: true)
            }
        }
        try Output.write(pending)
        try missing.finish(missingData)
    }
}
