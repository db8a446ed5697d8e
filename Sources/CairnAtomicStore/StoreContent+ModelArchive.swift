import CairnEngineKit
import CairnModel
import CairnModelArchive
import Foundation
import Synchronization

/// The archive that was created last, with its model. Most programs open stores of one model only.
private let latestArchive = Mutex<(model: ManagedObjectModel, bytes: Data)?>(nil)

extension StoreContent {
    /// The model in the form that a codec stores as ``AtomicHead/modelArchive``. It is created once and used
    /// for many saves, and only if a save asks for it, because reading does not need it.
    public var modelArchive: Data {
        latestArchive.withLock { latest in
            let model = layouts.model
            if let latest, latest.model === model { return latest.bytes }
            let bytes = Data(ModelCache.encode(model))
            latest = (model, bytes)
            return bytes
        }
    }
}
