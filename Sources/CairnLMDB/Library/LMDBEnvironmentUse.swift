import CairnFiles
import CairnStore

/// The right to use an environment: held by a store and by each of its snapshots and saves.
///
/// Keeps the file open. If its environment becomes unusable, the holder asks the registry for a use
/// of the one that replaces it.
final class LMDBEnvironmentUse: Sendable {
    private let registry: LMDBRegistry
    let file: ProcessFile
    let environment: LMDBEnvironment

    init(
        _ environment: LMDBEnvironment, _ file: ProcessFile, _ registry: LMDBRegistry
    ) {
        self.environment = environment
        self.file = file
        self.registry = registry
    }

    deinit { registry.endUse(file) }
}
