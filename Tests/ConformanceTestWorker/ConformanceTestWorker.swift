import BrokenEngineSupport
import CairnBinary
import CairnConformance
import CairnLMDB
import CairnMemory
import CairnSQLite
import CairnStore
import CairnXML
import FolderStore
import Foundation
import LogStore
import ServedStoreSupport
import SocketStoreSupport

/// Runs the kit over an engine, sound or broken, as an engine author's program does; and is the
/// other process of a rule.
///
/// Usage: `ConformanceTestWorker <type or flaw> [topic]…`
@main enum ConformanceTestWorker {
    static func main() {
        let name = CommandLine.arguments.dropFirst().first ?? ""
        guard let harness = harness(name) else {
            FileHandle.standardError.write(Data("no engine “\(name)”\n".utf8))
            exit(2)
        }
        exit(ConformanceProgram(harness).run(Array(CommandLine.arguments.dropFirst())))
    }

    private static func harness(_ name: String) -> (any StoreHarness)? {
        let engines: [any PersistentStore.Type] = [
            BinaryStore.self, FolderStore.self, InMemoryStore.self, LMDBStore.self,
            LogStore.self, SQLiteStore.self, XMLStore.self,
        ]
        if let engine = engines.first(where: { $0.type.rawValue == name }) {
            return EngineHarness(
                engine, worker: .thisProgram([name]),
                damageMayEndProcess: engine is LMDBStore.Type)
        }
        if name == ServedStore.type.rawValue { return ServedHarness() }
        if name == ReferredStore.type.rawValue { return ServedHarness(ReferredStore.self) }
        if name == SocketStore.type.rawValue { return SocketHarness() }
        return Flaw.named(name).map(FlawedHarness.init)
    }
}
