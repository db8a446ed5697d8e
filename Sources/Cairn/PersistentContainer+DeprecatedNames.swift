import CairnQueries
import Foundation

extension PersistentContainer {
    /// The old name of ``defaultModelFolders``.
    @available(*, deprecated, renamed: "defaultModelFolders")
    public static var usualModelFolders: [URL] { defaultModelFolders }
}
