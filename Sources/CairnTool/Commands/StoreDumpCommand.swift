import ArgumentParser
import Cairn
import Foundation

/// `cairn store dump`: prints every object as a JSON line.
struct StoreDumpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dump",
        abstract: "Prints every object as a line of JSON, the same on every engine.",
        discussion: """
            By root entity and key. Values that are nil and relationships that are empty are left \
            out; dates are ISO 8601, bytes base 64, objects Entity/key. The lines of several stores \
            name the store by its number on the command line, so that dumps of the same stores in \
            other engines are equal.
            """)

    @OptionGroup var arguments: StoresArguments

    @OptionGroup var missingData: MissingDataOption

    @OptionGroup var dates: DateOption

    func run() throws {
        let tool = try ToolStores(arguments)
        try tool.withOpenStores { stores in
            try tool.withSnapshots(of: stores) { snapshots in
                try write(
                    StoreDump(
                        snapshots: snapshots, layouts: stores[0].request.layouts,
                        dates: dates.form))
            }
        }
    }

    private func write(_ dump: StoreDump) throws {
        var pending = Data()
        var missing = MissingDataReport()
        try dump.write(noting: &missing) { line in
            pending.append(line)
            // Write many lines with one system call.
            if pending.count > 1 << 16 {
                try Output.write(pending)
                pending.removeAll(keepingCapacity: true)
            }
        }
        try Output.write(pending)
        try missing.finish(missingData)
    }
}
