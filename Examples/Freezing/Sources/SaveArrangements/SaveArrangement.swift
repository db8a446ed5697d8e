/// A way to save new objects in an app. The descriptions are those in
/// docs/saving-without-freezing.md.
public enum SaveArrangement: String, Sendable, CaseIterable {
    case mainContext = "save() on the main-queue context"
    case mainContextInBackground = "saveInBackground() on it"
    case backgroundContext = "a background context, nothing merged"
    case mergedBackgroundContext = "a background context, merged automatically"
    case privateParent = "a private parent, child does not read"
    case privateParentOfReader = "a private parent, child counts once during the save"
}
