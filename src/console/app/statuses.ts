/** The statuses of an account in the order of its life, and their names on the screen. */
export const statuses = ["active", "onboarding", "churned", "inactive"] as const;
export type Status = (typeof statuses)[number];

export const statusNames: Readonly<Record<Status, string>> = {
  active: "Active",
  onboarding: "Onboarding",
  churned: "Churned",
  inactive: "Inactive",
};
