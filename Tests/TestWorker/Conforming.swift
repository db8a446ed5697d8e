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

/// Runs the conformance kit on a sound or broken engine, as an engine author's program would. Also serves as
/// the other process for the kit's rules.
///
///     conform ENGINE [TOPIC] …    ENGINE is the type of an engine or the name of a flaw
enum Conforming {
    /// Returns the program's exit code.
    static func run(_ arguments: [String]) -> Int32 {
        let name = arguments.first ?? ""
        guard let harness = harness(name) else {
            FileHandle.standardError.write(Data("no engine “\(name)”\n".utf8))
            return 2
        }
        return ConformanceProgram(harness).run(arguments)
    }

    private static func harness(_ name: String) -> (any StoreHarness)? {
        let engines: [any PersistentStore.Type] = [
            BinaryStore.self, FolderStore.self, InMemoryStore.self, LMDBStore.self,
            LogStore.self, SQLiteStore.self, XMLStore.self,
        ]
        if let engine = engines.first(where: { $0.type.rawValue == name }) {
            return EngineHarness(
                engine, worker: .thisProgram(["conform", name]),
                damageMayEndProcess: engine is LMDBStore.Type)
        }
        if name == ServedStore.type.rawValue { return ServedHarness() }
        if name == SocketStore.type.rawValue { return SocketHarness() }
        return Flaw.named(name).map(FlawedHarness.init)
    }
}
