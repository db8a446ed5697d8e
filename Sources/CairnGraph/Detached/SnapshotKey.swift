/// The fields of a snapshot that are no properties.
enum SnapshotKey {
    static let entity = "@entity"
    static let reference = "@ref"
}
