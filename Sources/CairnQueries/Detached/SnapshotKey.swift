/// The keys of a snapshot's fields that are not properties.
enum SnapshotKey {
    static let entity = "@entity"
    static let reference = "@ref"
}
